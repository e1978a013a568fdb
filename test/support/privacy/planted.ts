/** Distinct values of a person to search for afterwards. Each is found by its token, regardless of the surrounding text. */
export class Planted {
  readonly #prefix: string
  readonly #digits: string
  readonly #tokens: string[] = []

  /** `digits`: four digits in the numbers, unique to this person. */
  constructor(prefix: string, digits: string) {
    this.#prefix = prefix
    this.#digits = digits
  }

  /** Search terms: in lower case, or as digits. */
  get tokens(): readonly string[] {
    return this.#tokens
  }

  name(): string {
    const token = this.#token()
    return `${token[0]?.toUpperCase()}${token.slice(1)}`
  }

  word(): string {
    return this.#token()
  }

  email(): string {
    return `${this.#token()}@planted.example`
  }

  /** E.164 number of a German mobile network. */
  number(): string {
    const national = `15${this.#digits}${String(this.#tokens.length).padStart(5, '0')}`
    this.#tokens.push(national)
    return `+49${national}`
  }

  /** Ends with a letter, so that no token is a prefix of another, and stemming does not change it. */
  #token(): string {
    const token = `${this.#prefix}${this.#tokens.length}q`
    this.#tokens.push(token)
    return token
  }
}
