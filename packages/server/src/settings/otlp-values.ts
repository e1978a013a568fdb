/** Standard settings of OpenTelemetry programs, in their format. */
const pairs = (value: string): [name: string, value: string][] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => {
      const [, key, text] = /^([^=\s]+)\s*=\s*(.*)$/.exec(item) ?? []
      if (key === undefined || text === undefined) throw new Error('must be name=value,name=value')
      return [key, decoded(text)]
    })

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Sent unchanged: header names, and one line of visible characters each. */
export const headerList = (value: string): Record<string, string> => {
  const list = pairs(value)
  if (list.some(([header, text]) => !/^[!#$%&'*+.^`|~\w-]+$/.test(header) || !/^[\x20-\x7e]*$/.test(text)))
    throw new Error('must be headers: name=value,name=value')
  return Object.fromEntries(list.map(([header, text]) => [header.toLowerCase(), text]))
}

export const attributes = (value: string): Record<string, string> => Object.fromEntries(pairs(value))

export const ratio = (value: string): number => {
  const number = Number(value)
  if (!/^[\d.]+$/.test(value) || !(number >= 0 && number <= 1)) throw new Error('must be a number from 0 to 1')
  return number
}

export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** Case-insensitive. */
export const yesNo = (value: string): boolean => {
  const said = value.toLowerCase()
  if (said !== 'true' && said !== 'false') throw new Error('must be true or false')
  return said === 'true'
}
