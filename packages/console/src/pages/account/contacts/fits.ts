/** Whether something typed is in one of the texts. Spaces and punctuation of numbers do not matter. */
export const fits = (wanted: string, texts: readonly string[]): boolean => {
  const words = wanted.trim().toLowerCase()
  const digits = words.replaceAll(/[\s()/-]/g, '')
  return texts.some(
    (text) => text.toLowerCase().includes(words) || (/^\+?\d+$/.test(digits) && text.replaceAll(/[\s()/-]/g, '').includes(digits)),
  )
}
