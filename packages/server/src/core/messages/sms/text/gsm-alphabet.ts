// 3GPP TS 23.038. The index in this text is the code; index 27 is the escape, not a character.
const plain =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'

export const escapeCode = 27

/** Characters of one septet. */
export const plainCodes: ReadonlyMap<string, number> = new Map(
  Array.from(plain, (character, code) => [character, code] as const).filter(([, code]) => code !== escapeCode),
)

/** Characters that need an additional escape. */
export const extensionCodes: ReadonlyMap<string, number> = new Map([
  ['\f', 0x0a],
  ['^', 0x14],
  ['{', 0x28],
  ['}', 0x29],
  ['\\', 0x2f],
  ['[', 0x3c],
  ['~', 0x3d],
  [']', 0x3e],
  ['|', 0x40],
  ['€', 0x65],
])
