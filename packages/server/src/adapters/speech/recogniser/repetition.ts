/** Limits of what people repeat: single words that often, numbers up to that many words long. */
const tooMuch = 8
const sentence = 4

/** How many words at the end only repeat those before them: recognisers get caught in circles. A sentence counts when it comes twice. */
export const repeatedAtEnd = (words: readonly number[], isNumber: (word: number) => boolean): number => {
  for (let length = 1; length * 2 <= words.length; length++) {
    const numbers = words.slice(-length).some(isNumber)
    const times = length >= sentence && !numbers ? 1 : Math.ceil(tooMuch / length)
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
    if (tail.every((word, index) => word === before[index] && !/\d/.test(word))) return withoutRepetition(words.slice(0, -length).join(' '))
  }
  return text
}
