// Candidates as a heat map: how much of the best move's worth each of them has.

const SCALE = 120; // points that divide the share by e
const LEAST = 0.04;

// `reports` are the best lines; other candidates have upper bounds as scores.
export function heatOf(candidates, reports) {
  if (!candidates?.length) return [];
  const best = reports[0].score;
  const ranks = new Map(reports.map((report, i) => [String(report.line[0]), i + 1]));
  const exact = new Map(reports.map((report) => [String(report.line[0]), report.score]));
  return candidates
    .map(({ move, score }) => {
      const known = exact.get(String(move)) ?? Math.min(score, best);
      return { move, share: Math.exp(-Math.max(0, best - known) / SCALE), rank: ranks.get(String(move)) ?? null };
    })
    .filter(({ share, rank }) => rank !== null || share >= LEAST);
}
