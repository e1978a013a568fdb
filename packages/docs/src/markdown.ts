import { readFileSync, existsSync, statSync } from 'node:fs'
import { join, dirname, normalize } from 'node:path'
import { Marked, type RendererObject, type Token, type Tokens } from 'marked'
import { escapeHtml, highlighted } from './highlight.ts'
import { pageWords } from './page-words.ts'
import type { Source } from './sources.ts'

/** Depth of a row of a reference, below all headings. */
export const rowDepth = 9

/** A part of a page, from one heading to the next. */
export interface Section {
  title: string
  id: string
  depth: number
  text: string
}

export interface Rendered {
  html: string
  sections: readonly Section[]
  /** Link targets and images. */
  links: readonly string[]
  /** Mistakes in the source. */
  problems: readonly string[]
}

interface Place {
  root: string
  source: Source
  links: Links
}

/** GitHub's slugs, so that links work in both places. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')

/** Text of a token, without markup. */
const wordsOf = (token: Token): string => {
  if (token.type === 'html' || token.type === 'image') return ''
  if (token.type === 'table') return rowsOf(token as Tokens.Table)
  const inner = 'tokens' in token && token.tokens ? token.tokens : token.type === 'list' ? (token as Tokens.List).items : undefined
  if (inner) return inner.map(wordsOf).join(token.type === 'list' ? ' ' : '')
  return token.type === 'space' || token.type === 'br' ? ' ' : decoded('text' in token ? String(token.text) : '')
}
const decoded = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&')
const rowsOf = (table: Tokens.Table): string =>
  table.rows.map((row) => row.map((cell) => cell.tokens.map(wordsOf).join('')).join(' ')).join(' ')

/** Names of a reference, one per row: linkable and searchable. */
const codeOfRow = (row: readonly Tokens.TableCell[]): string | undefined => {
  const [only, ...others] = row[0]?.tokens ?? []
  return only?.type === 'codespan' && others.length === 0 && /^[\w.-]+$/.test(only.text) ? only.text : undefined
}

/** Renders one page: reads its source, returns HTML and metadata for the site. */
export class PageRenderer {
  readonly #place: Place
  readonly #sections: Section[] = []
  readonly #links: string[] = []
  readonly #problems: string[] = []
  readonly #ids = new Map<string, number>()

  constructor(place: Place) {
    this.#place = place
  }

  render(markdown: string): Rendered {
    const marked = new Marked({ gfm: true })
    const tokens = marked.lexer(markdown)
    const ids = this.#collect(tokens)
    marked.use({ renderer: this.#renderer(ids) })
    const html = marked.parser(tokens, { ...marked.defaults })
    return { html, sections: this.#sections, links: this.#links, problems: this.#problems }
  }

  /** Sections for the table of contents and the search; ids for headings and rows. */
  #collect(tokens: readonly Token[]): Map<Token | readonly Tokens.TableCell[], string> {
    const ids = new Map<Token | readonly Tokens.TableCell[], string>()
    for (const token of tokens) {
      if (token.type === 'heading') {
        const title = token.tokens?.map(wordsOf).join('') ?? ''
        const id = this.#uniqueId(slugOf(title))
        ids.set(token, id)
        this.#sections.push({ title, id, depth: (token as Tokens.Heading).depth, text: '' })
      } else if (token.type === 'table' && this.#isReference()) this.#collectRows(token as Tokens.Table, ids)
      else if (token.type !== 'code') this.#addText(wordsOf(token))
    }
    return ids
  }

  #isReference(): boolean {
    return /^(?:settings|errors|log-events|metrics|alerts)$/.test(this.#place.source.path)
  }

  #collectRows(table: Tokens.Table, ids: Map<Token | readonly Tokens.TableCell[], string>): void {
    for (const row of table.rows) {
      const code = codeOfRow(row)
      if (code === undefined) continue
      ids.set(row, this.#uniqueId(code))
      const text = row
        .slice(1)
        .map((cell) => cell.tokens.map(wordsOf).join(''))
        .join(' ')
      this.#sections.push({ title: code, id: code, depth: rowDepth, text })
    }
  }

  #addText(text: string): void {
    const last = this.#sections.at(-1)
    if (last && text.trim() !== '') last.text = `${last.text} ${text}`.replace(/\s+/g, ' ').trim()
  }

  #uniqueId(wanted: string): string {
    const before = this.#ids.get(wanted) ?? 0
    this.#ids.set(wanted, before + 1)
    return before === 0 ? wanted : `${wanted}-${before}`
  }

  #address(href: string): string | undefined {
    const address = this.#place.links.addressOf(this.#place.source.file, href)
    if (address === undefined) this.#problems.push(`${this.#place.source.file}: ${href} is not on the site`)
    else this.#links.push(address)
    return address
  }

  #renderer(ids: Map<Token | readonly Tokens.TableCell[], string>): RendererObject {
    const say = pageWords[this.#place.source.language]
    const address = (href: string): string | undefined => this.#address(href)
    const size = (href: string): string => this.#sizeOf(href)
    const complain = (text: string): void => void this.#problems.push(`${this.#place.source.file}: ${text}`)
    return {
      heading(token) {
        const id = escapeHtml(ids.get(token) ?? '')
        const inner = this.parser.parseInline(token.tokens)
        const anchor = token.depth === 1 ? '' : ` <a class="anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a>`
        return `<h${token.depth} id="${id}">${inner}${anchor}</h${token.depth}>\n`
      },
      code({ text, lang = '' }) {
        const language = lang.split(/\s/)[0] ?? ''
        const label = language === '' ? say.code : language
        return `<figure class="code"><figcaption>${escapeHtml(label)}</figcaption><pre tabindex="0" role="region" aria-label="${escapeHtml(label)}"><code>${highlighted(text, language)}\n</code></pre></figure>\n`
      },
      /** HTML is allowed only as comments for editors and checks of the source. */
      html({ text }) {
        if (!/^\s*(?:<!--[\s\S]*?-->\s*)+$/.test(text)) complain(`HTML is not used: ${text.trim()}`)
        return ''
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens)
        const to = address(href)
        const rel = to !== undefined && /^https?:/.test(to) ? ' rel="noreferrer"' : ''
        return to === undefined ? inner : `<a href="${escapeHtml(to)}"${rel}>${inner}</a>`
      },
      image({ href, text }) {
        const to = address(href)
        if (text === '') complain(`${href} has no description`)
        return to === undefined ? '' : `<img src="${escapeHtml(to)}" alt="${escapeHtml(decoded(text))}"${size(href)} loading="lazy" />`
      },
      table(token) {
        const cell = (one: Tokens.TableCell, tag: 'th' | 'td'): string => `<${tag}>${this.parser.parseInline(one.tokens)}</${tag}>`
        const hasHead = token.header.some(({ text }) => text !== '')
        const head = hasHead ? `<thead><tr>${token.header.map((one) => cell(one, 'th')).join('')}</tr></thead>` : ''
        const rows = token.rows.map((row) => {
          const id = ids.get(row)
          return `<tr${id === undefined ? '' : ` id="${id}"`}>${row.map((one) => cell(one, 'td')).join('')}</tr>`
        })
        return `<div class="table" tabindex="0" role="region" aria-label="${say.tableOf}"><table>${head}<tbody>${rows.join('\n')}</tbody></table></div>\n`
      },
    }
  }

  /** Reserves the space, so that the text does not jump when an image loads. */
  #sizeOf(href: string): string {
    const file = join(this.#place.root, 'docs/screens', href.split('/').at(-1) ?? '')
    const head = readFileSync(file).subarray(16, 24)
    return ` width="${head.readUInt32BE(0)}" height="${head.readUInt32BE(4)}"`
  }
}

/** Addresses of repository files and folders on the site, besides pages. */
const places: Readonly<Record<string, string>> = {
  'docs/guides': '/docs/#guides',
  'docs/guides/README.md': '/docs/#guides',
  'docs/api/openapi.json': '/docs/openapi.json',
  'docs/api/asyncapi.json': '/docs/asyncapi.json',
  docs: '/docs/',
  examples: '/docs/#examples',
}

/** Served verbatim, at their own path below /docs/. */
const rawFile = /^(?:deploy|examples|docs\/api\/schemas)\/(?!.*\.md$)/

/** Resolves a link of a Markdown file to its address on the site; undefined if it does not exist. */
export class Links {
  readonly #root: string
  readonly #pages: ReadonlyMap<string, Source>

  constructor(root: string, pages: readonly Source[]) {
    this.#root = root
    this.#pages = new Map(pages.map((page) => [page.file, page]))
  }

  addressOf(from: string, href: string): string | undefined {
    if (/^[a-z][a-z+.-]*:/i.test(href) || href.startsWith('#') || href.startsWith('/docs/') || href === '/llms.txt') return href
    const [path = '', heading] = href.split('#')
    const file = normalize(join(dirname(from), path)).replace(/\/$/, '')
    const anchor = heading === undefined ? '' : `#${heading}`
    const page = this.#pages.get(file) ?? this.#pages.get(join(file, 'README.md'))
    if (page) return `/docs/${page.path}${anchor}`
    if (places[file] !== undefined) return `${places[file]}${anchor}`
    return this.#isFile(file) && (rawFile.test(file) || file.startsWith('docs/screens/'))
      ? `/docs/${file.replace(/^docs\//, '')}`
      : undefined
  }

  #isFile(file: string): boolean {
    const path = join(this.#root, file)
    return existsSync(path) && statSync(path).isFile()
  }
}
