/** Calling codes with one or two digits (ITU-T E.164); all others have three. */
const shortCodes = /^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/

/** `+4915790000001` → `+49 157 9000 0001`. What is no international number stays as it is. */
export const spacedNumber = (number: string): string => {
  const digits = /^\+(\d{7,15})$/.exec(number)?.[1]
  if (digits === undefined) return number
  const code = shortCodes.exec(digits)?.[0] ?? digits.slice(0, 3)
  const rest = digits.slice(code.length)
  const blocks = [rest.slice(0, 3), ...(rest.slice(3).match(/\d{1,4}/g) ?? [])]
  const last = blocks.at(-1) ?? ''
  // A block of one digit looks lost.
  if (last.length === 1 && blocks.length > 2) blocks.splice(-2, 2, (blocks.at(-2) ?? '') + last)
  return `+${code} ${blocks.join(' ')}`
}
