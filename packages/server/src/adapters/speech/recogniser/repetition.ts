/** Limits of what people repeat: single words that often, sentences of so many words not at all. */
const tooMuch = 8
const sentence = 4
/** Numbers are repeated on purpose, but not together with so many other words. */
const otherWords = 3
/** Words are written in one piece or in several. */
const otherPieces = 5

/** How many words at the end only repeat those before them: recognisers get caught in circles. A sentence counts when it comes twice. */
export const repeatedAtEnd = (words: readonly number[], isNumber: (word: number) => boolean): number => {
  for (let length = 1; length * 2 <= words.length; length++) {
    const others = words.slice(-length).filter((word) => !isNumber(word)).length
    const times = length >= sentence && (others === length || others >= otherPieces) ? 1 : Math.ceil(tooMuch / length)
    if (words.length < length * (times + 1)) continue
    const tail = words.slice(-length * times)
    const before = words.slice(-length * (times + 1), -length)
    if (tail.every((word, index) => word === before[index])) return length * times
  }
  return 0
}

const plain = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** The same for a text: the second time, a sentence often lacks its full stop, which makes it another one above. */
export const withoutRepetition = (text: string): string => {
  const words = text.split(' ')
  for (let length = Math.floor(words.length / 2); length >= sentence; length--) {
    const tail = words.slice(-length).map(plain)
    const before = words.slice(-2 * length, -length).map(plain)
    const others = tail.filter((word) => !/\d/.test(word)).length
    const isSentence = others === length || others >= otherWords
    if (isSentence && tail.every((word, index) => word === before[index])) return withoutRepetition(words.slice(0, -length).join(' '))
  }
  return text
}
