/** How settings are read; errors are worded so that they follow the setting's name. */
export const onOff = (value: string): boolean => {
  if (value !== 'on' && value !== 'off') throw new Error('must be on or off')
  return value === 'on'
}

export const oneOf =
  <const V extends string>(...values: V[]) =>
  (value: string): V => {
    if (!(values as string[]).includes(value)) throw new Error(`must be one of ${values.join(', ')}`)
    return value as V
  }

export const matching =
  (pattern: RegExp, wanted: string) =>
  (value: string): string => {
    if (!pattern.test(value)) throw new Error(`must be ${wanted}`)
    return value
  }

export const optionally =
  <T>(read: (value: string) => T) =>
  (value: string): T | undefined =>
    value === '' ? undefined : read(value)

export const wholeNumber = (value: string): number => {
  if (!/^\d{1,9}$/.test(value)) throw new Error('must be a whole number')
  return Number(value)
}

export const between =
  (min: number, max: number) =>
  (value: string): number => {
    const number = wholeNumber(value)
    if (number < min || number > max) throw new Error(`must be a number from ${min} to ${max}`)
    return number
  }

/** 0 has a meaning of its own. */
export const zeroOr =
  (min: number, max: number) =>
  (value: string): number => {
    const number = wholeNumber(value)
    if (number !== 0 && (number < min || number > max)) throw new Error(`must be 0 or a number from ${min} to ${max}`)
    return number
  }
