/** Calling codes with one or two digits (ITU-T E.164); all others have three. */
const shortCodes = /^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/

/** Where it is usual to read the first block as the name of a city, that block is not three digits long. */
const cities: Readonly<Record<string, RegExp>> = { '33': /^\d/, '43': /^1/, '44': /^2\d/, '49': /^(30|40|69|89)/ }

/** `+4915790000001` → `+49 157 9000 0001`. What is no international number stays as it is. */
export const spacedNumber = (number: string): string => {
  const digits = /^\+(\d{7,15})$/.exec(number)?.[1]
  if (digits === undefined) return number
  const code = shortCodes.exec(digits)?.[0] ?? digits.slice(0, 3)
  const rest = digits.slice(code.length)
  const area = cities[code]?.exec(rest)?.[0] ?? rest.slice(0, 3)
  return `+${code} ${[area, ...blocksOf(rest.slice(area.length))].join(' ')}`
}

/** Of four digits, and shorter ones at the end, but not so short that they look lost. */
const blocksOf = (digits: string): string[] => {
  const blocks = digits.match(/\d{1,4}/g) ?? []
  const [before, last] = blocks.slice(-2)
  return last !== undefined && last.length < 3 && before !== undefined ? [...blocks.slice(0, -2), ...halves(before + last)] : blocks
}

const halves = (digits: string): string[] => [digits.slice(0, Math.ceil(digits.length / 2)), digits.slice(Math.ceil(digits.length / 2))]
