/** Marks that assistants write for eyes, not for ears: Markdown, bullets, pictures. */
const marks: readonly (readonly [RegExp, string])[] = [
  [/\[([^[\]]{1,200})\]\([^()\s]{1,500}\)/g, '$1'],
  [/^[ \t]{0,8}(?:#{1,6}|[-*•>])[ \t]+/gm, ''],
  // A star between two numbers multiplies them.
  [/(?<!\d ?)\*+|\*+(?! ?\d)|`+|~~/g, ''],
  [/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, ''],
  // Digits are pictures too, for Unicode: those stay.
  [/(?:(?![\d#*©®™])\p{Emoji}|\u200d|\ufe0f|\u20e3)+/gu, ' '],
]

export const withoutMarkup = (text: string): string => marks.reduce((rest, [mark, words]) => rest.replace(mark, words), text)
