/** Matches an unfinished tag or link that the next chunk may complete. */
const unclosed = /<\/?[a-zA-Z][^<>]{0,200}$|<$|!?\[[^\][]{0,200}(?:\](?:\([^)\s]{0,500})?)?$/

const closed = /!?\[[^\][]{0,300}\]\([^)[]{0,2000}\)|<\/?[a-zA-Z][^<>]{0,200}>/g

/** Characters held at most: longer words, links and tags are not worth scanning. */
const maxHeld = 300

/** Length of the text that can be spoken now: up to the last gap, unless that is inside a link or a tag. The last word may still grow. */
const sayable = (text: string): number => {
  if (text.length > maxHeld) return text.length
  const gap = /\s+\S*$/.exec(text)?.index ?? 0
  const around = [...text.matchAll(closed)].find(({ index, 0: { length } }) => index < gap && gap < index + length)
  return Math.min(gap, around?.index ?? gap, unclosed.exec(text)?.index ?? gap)
}

/** Marks text that does not begin a line, where Markdown has another meaning. */
const inside = '\u0001'

const clean = (text: string, begins: boolean): string =>
  (begins ? text : inside + text)
    .replace(/[ \t]{2,}/g, ' ')
    .replace(/!?\[([^\][]{0,300})\]\([^)[]{0,2000}\)/g, '$1')
    .replace(/<\/?[a-zA-Z][^<>]{0,200}>/g, '')
    .replace(/<\|[^|>]*\|>/g, '')
    .replace(/\b(?:https?:\/\/|www\.)[^\s<>]*[^\s<>.,;:!?)]/gi, '')
    .replace(/(^|\n)[ \t]*(?:#{1,6}|[-*+•>]|\|?[-|: ]{3,})(?=\s|$)/g, '$1')
    .replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200D|\uFE0F|\u20E3/gu, '')
    .replace(/[*`~|]|\b__|__\b|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '')
    .replace(inside, '')

/** Turns model text into speakable text: no Markdown, addresses, emoji or tags. Accepts chunks and holds back undecided text. */
export class Speakable {
  #held = ''
  #lastSaid = ''

  put(text: string): string {
    this.#held += text
    const end = sayable(this.#held)
    const ready = this.#held.slice(0, end)
    this.#held = this.#held.slice(end)
    return this.#said(ready)
  }

  end(): string {
    const rest = this.#held
    this.#held = ''
    return this.#said(rest)
  }

  #said(text: string): string {
    // A line without a final mark is a heading or a list item and gets a pause.
    const marked = clean(text, this.#lastSaid === '').replace(/[ \t]*\n\s*/g, (_, at: number, all: string) => {
      const before = all.slice(0, at).trimEnd().at(-1) ?? this.#lastSaid
      return before === '' || /[.,;:!?…]/.test(before) ? ' ' : '. '
    })
    const words = marked.replace(/\s+/g, ' ').replace(/ (?=[.,;:!?](?:\s|$))/g, '')
    const said = this.#lastSaid === '' || this.#lastSaid === ' ' ? words.trimStart() : words
    this.#lastSaid = said.at(-1) ?? this.#lastSaid
    return said
  }
}

/** Cleans a whole text in one step. */
export const speakable = (text: string): string => {
  const voice = new Speakable()
  return (voice.put(text) + voice.end()).trim()
}
