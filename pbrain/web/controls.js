// Buttons, selects and checkboxes as the page uses them.

import { html } from "../pages/dom.js";

export function button(text, act, attributes = {}) {
  const made = html("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", act);
  return made;
}

// `options` are [value, text]; `changed` gets the value as it was given.
export function select(label, options, value, changed) {
  const made = html("select", {}, ...options.map(([, text], i) => html("option", { value: i }, text)));
  const control = {
    node: html("label", { class: "field" }, html("span", {}, label), made),
    get value() {
      return options[Number(made.value)][0];
    },
    set value(wanted) {
      made.value = String(options.findIndex(([each]) => each === wanted));
    },
    set isDisabled(is) {
      made.disabled = is;
    },
  };
  control.value = value;
  made.addEventListener("change", () => changed(control.value));
  return control;
}

export function checkbox(label, isChecked, changed) {
  const made = html("input", { type: "checkbox", checked: isChecked });
  made.addEventListener("change", () => changed(made.checked));
  const control = {
    node: html("label", { class: "check" }, made, html("span", {}, label)),
    get value() {
      return made.checked;
    },
    set value(wanted) {
      made.checked = wanted;
    },
  };
  return control;
}
