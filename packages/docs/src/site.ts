import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { contentsOf, footerOf, framed, navigationOf, type Assets } from './frame.ts'
import { homeContent } from './home.ts'
import { Links } from './links.ts'
import { llmsText } from './llms.ts'
import { PageRenderer, type Rendered } from './markdown.ts'
import { pageWords } from './page-words.ts'
import { searchIndex } from './search-index.ts'
import { everyPage, readSources, type Source, type Sources } from './sources.ts'

/** Everything below /docs/: path → content, compressed but for pictures. */
export interface Site {
  files: Map<string, Uint8Array>
  /** Links that lead nowhere, pictures without a description. */
  problems: readonly string[]
}

const root = join(import.meta.dirname, '../../..')
const mark = join(root, 'packages/console/src/shell/look/offhook.svg')

/** Renders the documentation of this repository. */
export const renderSite = (): Site => {
  const sources = readSources(root)
  const pages = everyPage(sources)
  const links = new Links(root, pages)
  const texts = new Map(pages.map((page) => [page, markdownOf(page)]))
  const rendered = new Map(pages.map((page) => [page, new PageRenderer({ root, source: page, links }).render(texts.get(page) ?? '')]))
  const files = new Map<string, Uint8Array>()
  const put = (path: string, content: string | Buffer): void => void files.set(path, gzipSync(content, { level: 9 }))
  const assets = putAssets(put, searchIndex(sources, rendered))
  for (const [page, text] of texts) {
    put(`${page.path}.md`, text)
    put(`${page.path}.html`, pageOf(sources, page, rendered.get(page)!, assets))
  }
  putOthers(put, sources, assets)
  putPictures(files, rendered.values())
  return { files, problems: [...rendered.values()].flatMap(({ problems }) => problems) }
}

/** Examples are shown with their code. */
const markdownOf = ({ file }: Source): string => {
  const text = readFileSync(join(root, file), 'utf8')
  if (!file.startsWith('examples/')) return text
  const codes = globSync('*.{ts,mjs,py}', { cwd: join(root, dirname(file)) }).toSorted()
  return [text, ...codes.map((name) => `\n## ${name}\n\n\`\`\`${extname(name).slice(1)}\n${codeOf(dirname(file), name)}\`\`\`\n`)].join('')
}
const codeOf = (folder: string, name: string): string => readFileSync(join(root, folder, name), 'utf8')

const pageOf = (sources: Sources, page: Source, { html, sections }: Rendered, assets: Assets): string => {
  const guides = sources.guides.flatMap((group) => group.pages)
  const english = page.language === 'de' ? guides.find(({ path }) => sources.german.get(path) === page) : page
  const translated = (one: Source | undefined): Source | undefined =>
    one && ((page.language === 'de' && sources.german.get(one.path)) || one)
  const at = guides.findIndex((one) => one === english)
  const around: [Source | undefined, Source | undefined] = at < 0 ? [undefined, undefined] : [guides[at - 1], guides[at + 1]]
  return framed({
    title: `${page.title} · Offhook`,
    language: page.language,
    path: page.path,
    assets,
    navigation: navigationOf(sources, page),
    contents: contentsOf(sections, page.language),
    otherLanguage: page.language === 'de' ? english : sources.german.get(page.path),
    content: `<article>${html}</article>${footerOf(page, translated(around[0]), translated(around[1]))}`,
  })
}

type Put = (path: string, content: string | Buffer) => void

/** What browsers may keep for ever: its name changes with its content. */
const putAssets = (put: Put, index: string): Assets => {
  const folder = join(import.meta.dirname, '../assets')
  const keep = (name: string, content: string): string => {
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 10)
    const path = `assets/${basename(name, extname(name))}-${hash}${extname(name)}`
    put(path, content)
    return `/docs/${path}`
  }
  const file = (name: string): string => keep(name, readFileSync(join(folder, name), 'utf8'))
  return {
    style: file('docs.css'),
    script: keep('docs.js', scriptOf(folder)),
    icon: keep('icon.svg', readFileSync(mark, 'utf8')),
    search: keep('search.json', index),
  }
}

/** The words that scripts show stand in one place with all others. */
const scriptOf = (folder: string): string =>
  [
    `const words = ${JSON.stringify(pageWords)}\n`,
    ...['page.js', 'search.js'].map((name) => readFileSync(join(folder, name), 'utf8')),
  ].join('')

const putOthers = (put: Put, sources: Sources, assets: Assets): void => {
  const description = readFileSync(join(root, 'docs/api/openapi.json'), 'utf8')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const { paths } = JSON.parse(description) as { paths: Record<string, Record<string, unknown>> }
  put('openapi.json', description)
  put('asyncapi.json', readFileSync(join(root, 'docs/api/asyncapi.json')))
  put('llms.txt', llmsText(sources, Object.values(paths).flatMap((methods) => Object.keys(methods)).length))
  const home = { title: pageWords.en.home, language: 'en', path: '', assets, navigation: navigationOf(sources, undefined) } as const
  put('index.html', framed({ ...home, content: homeContent(sources, version) }))
  for (const file of globSync('{deploy,examples,docs/api/schemas}/**/*', {
    cwd: root,
    withFileTypes: true,
    exclude: (entry) => entry.name === 'node_modules',
  })) {
    const path = join(file.parentPath, file.name).slice(root.length + 1)
    if (file.isFile() && !path.endsWith('.md')) put(path.replace(/^docs\//, ''), readFileSync(join(root, path)))
  }
}

/** Only those that a page shows. */
const putPictures = (files: Map<string, Uint8Array>, pages: Iterable<Rendered>): void => {
  const shown = [...pages].flatMap(({ links }) => links).filter((link) => link.startsWith('/docs/screens/'))
  for (const link of shown) files.set(link.slice('/docs/'.length), readFileSync(join(root, link.slice(1))))
}
