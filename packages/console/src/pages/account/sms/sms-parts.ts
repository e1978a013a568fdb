// The GSM alphabet (3GPP TS 23.038); each of these takes one place, those in `extended` two.
const plain =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'

const extended = '\f^{}\\[~]|€'

interface SmsParts {
  /** Number of messages, each of which is charged. */
  parts: number
  /** Free places in the last one. */
  left: number
  /** A character outside the GSM alphabet makes the whole text take more room. */
  wide: boolean
}

/** Splits a text by the service's rules. */
export const smsParts = (text: string): SmsParts => {
  const characters = Array.from(text)
  const wide = characters.some((character) => !plain.includes(character) && !extended.includes(character))
  const sizes = characters.map((character) => (wide ? character.length : extended.includes(character) ? 2 : 1))
  const [alone, each] = wide ? [70, 67] : [160, 153]
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (total <= alone) return { parts: 1, left: alone - total, wide }
  let parts = 1
  let used = 0
  for (const size of sizes) {
    if (used + size > each) {
      parts += 1
      used = 0
    }
    used += size
  }
  return { parts, left: each - used, wide }
}
