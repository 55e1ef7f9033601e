// The lines of the newest whole iteration, the best first: the engine reports all lines of a depth one after the other.

export class BestLines {
  constructor() {
    this.whole = [];
    this.coming = [];
  }

  // Takes a report; true if it completes an iteration.
  add(report) {
    if (report.rank === 1) this.coming = [];
    this.coming.push(report);
    if (this.coming.length < report.of) return false;
    this.whole = this.coming;
    return true;
  }
}
