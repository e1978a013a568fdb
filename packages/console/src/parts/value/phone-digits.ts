/** Calling codes with one or two digits (ITU-T E.164); all others have three. */
const shortCodes = /^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/

/** Countries where the first block is an area code of another length than three digits. */
const cities: Readonly<Record<string, RegExp>> = { '33': /^\d/, '43': /^1/, '44': /^2\d/, '49': /^(30|40|69|89)/ }

/** `+4915790000001` → `+49 157 9000 0001`. Other text stays unchanged. */
export const spacedNumber = (number: string): string => {
  const digits = /^\+(\d{7,15})$/.exec(number)?.[1]
  if (digits === undefined) return number
  const code = shortCodes.exec(digits)?.[0] ?? digits.slice(0, 3)
  const rest = digits.slice(code.length)
  const area = cities[code]?.exec(rest)?.[0] ?? rest.slice(0, 3)
  return `+${code} ${[area, ...blocksOf(rest.slice(area.length))].join(' ')}`
}

/** Blocks of four digits, shorter at the end, but not too short. */
const blocksOf = (digits: string): string[] => {
  const blocks = digits.match(/\d{1,4}/g) ?? []
  const [before, last] = blocks.slice(-2)
  return last !== undefined && last.length < 3 && before !== undefined ? [...blocks.slice(0, -2), ...halves(before + last)] : blocks
}

const halves = (digits: string): string[] => [digits.slice(0, Math.ceil(digits.length / 2)), digits.slice(Math.ceil(digits.length / 2))]
