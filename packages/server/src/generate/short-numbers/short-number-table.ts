import { createRequire } from 'node:module'

/** The third value is the pattern of its numbers. */
type Description = readonly [unknown, unknown, string?] | null | undefined

interface ShortNumberMetadata {
  /** By ISO 3166 code; each value is at its field number in `phonemetadata.proto`. */
  countryToMetadata: Record<string, readonly Description[]>
}

const fields = {
  tollFree: 4,
  premiumRate: 5,
  emergency: 27,
  shortCode: 29,
  standardRate: 30,
  carrierSpecific: 31,
  smsServices: 33,
} as const

/** Order of the patterns in a line of the table. */
const columns = ['tollFree', 'standardRate', 'premiumRate', 'shortCode', 'carrierSpecific', 'smsServices'] as const

export const shortNumberMetadata = (): ShortNumberMetadata =>
  (createRequire(import.meta.url)('google-libphonenumber') as { shortnumbermetadata: ShortNumberMetadata }).shortnumbermetadata

const heading = `/**
 * The short numbers of every country, one country in a line, with semicolons between: the ISO 3166 code, the emergency numbers, then patterns of
 * the numbers that are toll-free, standard rate, premium rate, in service, of one carrier only, for SMS only. Written by \`npm run generate\` from
 * the short-number metadata of libphonenumber (Copyright (C) The Libphonenumber Authors, Apache License 2.0) in the package google-libphonenumber.
 */`

/** Source of the table that the service contains instead of the package. */
export const shortNumberTableSource = ({ countryToMetadata }: ShortNumberMetadata): string => {
  const lines = Object.entries(countryToMetadata).map(([country, descriptions]) => {
    const patternOf = (field: keyof typeof fields): string => descriptions[fields[field]]?.[2] ?? ''
    const emergency = expandPattern(patternOf('emergency')).join(' ')
    return [country, emergency, ...columns.map(patternOf)].join(';')
  })
  return `${heading}\nexport const shortNumberTable = String.raw\`\n${lines.toSorted().join('\n')}\n\`\n`
}

/** All texts that a finite pattern matches: digits, `\d`, `[0-28]`, `(?:…|…)`, `?`, `{n}` and `{n,m}`, the only syntax that libphonenumber uses. */
export const expandPattern = (pattern: string): string[] => {
  const reader = new PatternReader(pattern)
  const texts = reader.alternatives()
  if (!reader.done) throw new Error(`this pattern cannot be expanded: ${pattern}`)
  return [...new Set(texts)].toSorted()
}

class PatternReader {
  readonly #pattern: string
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  get done(): boolean {
    return this.#at === this.#pattern.length
  }

  alternatives(): string[] {
    const texts = this.#sequence()
    while (this.#take('|')) texts.push(...this.#sequence())
    return texts
  }

  #sequence(): string[] {
    let texts = ['']
    for (;;) {
      const next = this.#atom()
      if (!next) return texts
      const { min, max } = this.#repetition()
      const repeated = Array.from({ length: max - min + 1 }, (_, more) => times(next, min + more)).flat()
      texts = texts.flatMap((text) => repeated.map((more) => text + more))
    }
  }

  #atom(): string[] | undefined {
    if (this.#take('(?:')) {
      const texts = this.alternatives()
      if (!this.#take(')')) throw new Error(`a group is not closed: ${this.#pattern}`)
      return texts
    }
    if (this.#take('\\d')) return digitsBetween('0', '9')
    if (this.#take('[')) return this.#set()
    const digit = this.#match(/\d/y)?.[0]
    return digit === undefined ? undefined : [digit]
  }

  #set(): string[] {
    const members = this.#match(/([\d-]+)\]/y)?.[1]
    if (members === undefined) throw new Error(`a set of other things than digits: ${this.#pattern}`)
    return [...members.matchAll(/(\d)(?:-(\d))?/g)].flatMap(([, from = '', to = from]) => digitsBetween(from, to))
  }

  #repetition(): { min: number; max: number } {
    if (this.#take('?')) return { min: 0, max: 1 }
    const [, from, to = from] = this.#match(/\{(\d)(?:,(\d))?\}/y) ?? []
    return from === undefined ? { min: 1, max: 1 } : { min: Number(from), max: Number(to) }
  }

  #take(text: string): boolean {
    const isNext = this.#pattern.startsWith(text, this.#at)
    if (isNext) this.#at += text.length
    return isNext
  }

  #match(sticky: RegExp): RegExpExecArray | null {
    sticky.lastIndex = this.#at
    const found = sticky.exec(this.#pattern)
    if (found) this.#at = sticky.lastIndex
    return found
  }
}

const digitsBetween = (from: string, to: string): string[] =>
  Array.from({ length: Number(to) - Number(from) + 1 }, (_, more) => String(Number(from) + more))

const times = (texts: readonly string[], count: number): string[] =>
  count === 0 ? [''] : times(texts, count - 1).flatMap((text) => texts.map((more) => text + more))
