import { existsSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import type { Source } from './sources.ts'

/** Where files and folders of the repository are on the site, besides pages. */
const places: Readonly<Record<string, string>> = {
  'docs/guides': '/docs/#guides',
  'docs/guides/README.md': '/docs/#guides',
  'docs/api/openapi.json': '/docs/openapi.json',
  'docs/api/asyncapi.json': '/docs/asyncapi.json',
  docs: '/docs/',
  examples: '/docs/#examples',
}

/** Served as they are, at their own path below /docs/. */
const rawFile = /^(?:deploy|examples|docs\/api\/schemas)\/(?!.*\.md$)/

/** Where a link of a Markdown file leads on the site; nothing when that is not there. */
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
