const entities: ReadonlyMap<string, string> = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }))
/** Around these, words are apart. */
const apart = /^<\/?(?:speak|p|s|break|audio|voice|mark)(?![\w:-])/i

/** Of something that only looks like a document: what is left when tags, comments and declarations are gone and references are characters. */
export const plainTextOf = (document: string): string => {
  const parts: string[] = []
  for (let at = 0; at < document.length;) {
    const start = tagFrom(document, at)
    parts.push(decoded(document.slice(at, start)))
    if (start === document.length) break
    const end = endOfTag(document, start)
    if (document.startsWith('<![CDATA[', start)) parts.push(document.slice(start + 9, end).replace(/\]\]>$/, ''))
    else if (apart.test(document.slice(start, start + 10))) parts.push(' ')
    at = end
  }
  return parts.join('').replace(/\s+/g, ' ').trim()
}

/** The place of the next tag; a `<` in front of anything else is only a character. */
const tagFrom = (document: string, from: number): number => {
  for (let at = document.indexOf('<', from); at >= 0; at = document.indexOf('<', at + 1)) {
    if (/[\p{L}/!?]/u.test(document.charAt(at + 1))) return at
  }
  return document.length
}

/** Behind it; a tag that doesn't end reaches to the end. */
const endOfTag = (document: string, start: number): number => {
  const closing = document.startsWith('<!--', start)
    ? '-->'
    : document.startsWith('<![CDATA[', start)
      ? ']]>'
      : /^<!DOCTYPE[^>[]*\[/i.test(document.slice(start, start + 200))
        ? ']>'
        : '>'
  const end = document.indexOf(closing, start + 1)
  return end < 0 ? document.length : end + closing.length
}

const decoded = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,30}));/gi, (_, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return entities.get(name) ?? ' '
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code > 31 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : ' '
  })
