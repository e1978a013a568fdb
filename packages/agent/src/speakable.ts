/** What may go on in the next piece: a tag, or the words of a link and its address. */
const unclosed = /<\/?[a-zA-Z][^<>]{0,200}$|<$|!?\[[^\][]{0,200}(?:\](?:\([^)\s]{0,500})?)?$/

const closed = /!?\[[^\][]*\]\([^)]*\)|<\/?[a-zA-Z][^<>]{0,200}>/g

/** No word, link or tag is longer: whoever sends so much without a gap is not worth the time to look for its end. */
const maxHeld = 300

/** A word may still grow; what can be said ends before the last gap, unless that is inside a link or a tag. */
const sayable = (text: string): number => {
  if (text.length > maxHeld) return text.length
  const gap = /\s+\S*$/.exec(text)?.index ?? 0
  const around = [...text.matchAll(closed)].find(({ index, 0: { length } }) => index < gap && gap < index + length)
  return Math.min(gap, around?.index ?? gap, unclosed.exec(text)?.index ?? gap)
}

/** What stands at the beginning of a line means something else than inside it. */
const inside = '\u0001'

const clean = (text: string, begins: boolean): string =>
  (begins ? text : inside + text)
    .replace(/[ \t]{2,}/g, ' ')
    .replace(/!?\[([^\][]*)\]\([^)]*\)/g, '$1')
    .replace(/<\/?[a-zA-Z][^<>]{0,200}>/g, '')
    .replace(/<\|[^|>]*\|>/g, '')
    .replace(/\b(?:https?:\/\/|www\.)[^\s<>]*[^\s<>.,;:!?)]/gi, '')
    .replace(/(^|\n)[ \t]*(?:#{1,6}|[-*+•>]|\|?[-|: ]{3,})(?=\s|$)/g, '$1')
    .replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200D|\uFE0F|\u20E3/gu, '')
    .replace(/[*`~|]|\b__|__\b|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '')
    .replace(inside, '')

/** Words of a model become words for a voice: no Markdown, addresses, emoji or tags. Takes them as they come, and holds back what is not decided. */
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
    // A line that ends without a mark is a heading or an item of a list, and is read with a pause.
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

/** A whole text at once. */
export const speakable = (text: string): string => {
  const voice = new Speakable()
  return (voice.put(text) + voice.end()).trim()
}
