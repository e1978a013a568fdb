export interface Setting<T> {
  default: string
  description: string
  read: (text: string) => T
  /** Never shown: a word as a whole, of an address its login. It may be read from a file instead. */
  secret?: 'word' | 'address'
}

export const setting = <T>(fallback: string, description: string, read: (text: string) => T): Setting<T> => ({
  default: fallback,
  description,
  read,
})

/** One that other programs have, too: there an empty one is none. */
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
