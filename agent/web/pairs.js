/** `key=value` pairs as people type them, parted by commas, semicolons or lines, Chinese ones too. */

/** A pair that narrows a search may have a bound, such as `page>=3`. */
export const CONDITION = /^([^=<>≥≤＝]+)(>=|<=|[=＝<>≥≤])([^=<>≥≤＝].*)$/;
export const STATEMENT = /^([^=＝]+)([=＝])(.+)$/;

const OPERATORS = { "＝": "=", "≥": ">=", "≤": "<=" };

/** Return key → values as `found`, and as `unclear` the first part that is no pair. */
export function read(text, form) {
  const found = {};
  for (const part of text.split(/[,，;；\n]/).map((one) => one.trim()).filter(Boolean)) {
    const [, key = "", operator = "", value = ""] = form.exec(part) ?? [];
    if (!key.trim() || !value.trim()) return { found, unclear: part };
    const bound = OPERATORS[operator] ?? operator;
    (found[key.trim() + (bound === "=" ? "" : bound)] ??= []).push(value.trim());
  }
  return { found, unclear: null };
}
