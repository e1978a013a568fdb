const programs: readonly [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrome\/|\bCriOS\/|\bHeadlessChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const systems: readonly [RegExp, string][] = [
  [/\biPhone|\biPad/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]

const maxLength = 60

/** Short program name for the list of logins: `Firefox, Linux`, or the first word of the User-Agent. */
export const programName = (userAgent: string | undefined): string => {
  if (userAgent === undefined) return ''
  const nameOf = (table: readonly [RegExp, string][]): string | undefined => table.find(([pattern]) => pattern.test(userAgent))?.[1]
  const program = nameOf(programs)
  if (program === undefined) return (/^[\w./-]+/.exec(userAgent)?.[0] ?? '').slice(0, maxLength)
  return [program, nameOf(systems)].filter((word) => word !== undefined).join(', ')
}
