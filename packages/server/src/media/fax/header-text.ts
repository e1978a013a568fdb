/** The upper half of code page 437, which is what the library's letters are drawn in. */
const upperHalf =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'
const maxLength = 50

/** The line above a page, as the library reads it. Letters that it does not have lose their accents, or become question marks. */
export const headerText = (text: string): Buffer => {
  const bytes = Array.from(text.normalize('NFC'))
    .slice(0, maxLength)
    .map((letter) => byteOf(letter) ?? byteOf(plain(letter)) ?? 0x3f)
  return Buffer.from([...bytes, 0])
}

const byteOf = (letter: string): number | undefined => {
  const code = letter.codePointAt(0) ?? 0
  if (code >= 0x20 && code < 0x7f) return code
  const at = upperHalf.indexOf(letter)
  return at < 0 ? undefined : 0x80 + at
}

const plain = (letter: string): string => letter.normalize('NFD').charAt(0)
