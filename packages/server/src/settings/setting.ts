interface Setting<T> {
  default: string
  description: string
  read: (text: string) => T
  /** Never shown: a word entirely, of an address its login. It may be read from a file instead. */
  secret?: 'word' | 'address'
}

export const setting = <T>(fallback: string, description: string, read: (text: string) => T): Setting<T> => ({
  default: fallback,
  description,
  read,
})

/** A setting shared with other programs: an empty value counts as unset. */
export const standard = <T>(fallback: string, description: string, read: (text: string) => T): Setting<T> =>
  setting(fallback, description, (text) => read(text === '' ? fallback : text))

export const secretWord = <T>(description: string, read: (text: string) => T): Setting<T> => ({
  ...setting('', description, read),
  secret: 'word',
})
export const secretAddress = <T>(description: string, read: (text: string) => T): Setting<T> => ({
  ...setting('', description, read),
  secret: 'address',
})
