/** Estimates how likely software reads a text wrongly: 0 for an ordinary word. */
export function rateMisreadRisk(text: string): number {
  const signs = [
    /[^\w\s.-]/,
    /[^\0-\x7f]/,
    /^\s|\s$|\s\s/,
    /^[\d.+-]+$|^0\d|\de\d/,
    /^(true|false|null|undefined|nan|none|yes|no|__proto__|constructor|length|tostring|name|id|value|key)$/i,
    /[%&+#=?]/,
    /["'\\<>{}[\]]/,
    /^.{60}/s,
  ];
  return signs.filter((sign) => sign.test(text)).length;
}
