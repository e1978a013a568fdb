import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Links, PageRenderer, rowDepth, type Rendered, type Section } from './markdown.ts'
import { pageWords, type Language } from './page-words.ts'
import { everyPage, readSources, type Source, type Sources, type Group } from './sources.ts'
import { escapeHtml } from './highlight.ts'

/** Addresses of the style sheet and the scripts; their names change with their content. */
interface Assets {
  style: string
  script: string
  icon: string
  search: string
}

interface Frame {
  title: string
  language: Language
  /** Path of this page below /docs/; empty for the first. */
  path: string
  assets: Assets
  navigation: string
  contents?: string
  otherLanguage?: Source | undefined
  content: string
}

/** Layout around the content of every page. */
const framed = ({ title, language, path, assets, navigation, contents = '', otherLanguage, content }: Frame): string => {
  const say = pageWords[language]
  const translated = otherLanguage
    ? `<a href="/docs/${otherLanguage.path}" hreflang="${otherLanguage.language}" lang="${otherLanguage.language}">${say.otherLanguage}</a>`
    : ''
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/svg+xml" href="${assets.icon}" />
<link rel="stylesheet" href="${assets.style}" />
${path === '' ? '' : `<link rel="alternate" type="text/markdown" href="/docs/${path}.md" />\n`}<script src="${assets.script}"></script>
</head>
<body>
<a class="skip" href="#content">${say.toContent}</a>
<header class="top">
<a class="brand" href="/docs/" aria-label="${say.home}"><img src="${assets.icon}" alt="" width="28" height="28" /><span>Offhook</span></a>
<div class="search" role="search"><input id="search" type="search" placeholder="${say.search}" aria-label="${say.search}" autocomplete="off" spellcheck="false" data-index="${assets.search}" hidden /><kbd hidden>/</kbd><div id="found" hidden></div><p id="found-count" class="hidden" aria-live="polite"></p></div>
<nav class="tools" aria-label="Offhook">${translated}<a href="/console/">${say.console}</a><button type="button" id="scheme" aria-label="${say.appearance}" title="${say.appearance}" hidden>◐</button></nav>
</header>
<div class="columns">
<details class="menu" open><summary>${say.contents}</summary><nav aria-label="${say.documentation}">${navigation}</nav></details>
<main id="content" tabindex="-1">
${content}
</main>
${contents}
</div>
</body>
</html>
`
}

/** Every page, in groups; the current one is marked. */
const navigationOf = (sources: Sources, current: Source | undefined): string => {
  const { guides, others, german } = sources
  const isGerman = current?.language === 'de'
  const entry = (page: Source): string => {
    const shown = (isGerman ? german.get(page.path) : undefined) ?? page
    const language = isGerman && shown.language === 'en' ? ' lang="en"' : ''
    const mark = shown === current || page === current ? ' aria-current="page"' : ''
    return `<li><a href="/docs/${shown.path}"${language}${mark}>${escapeHtml(shown.title)}</a></li>`
  }
  const api = '<li><a href="/docs/api/">REST interface</a></li>'
  return [...guides, ...others]
    .map(({ title, id, pages }) => `<h2>${escapeHtml(title)}</h2><ul>${id === 'reference' ? api : ''}${pages.map(entry).join('')}</ul>`)
    .join('')
}

/** The headings of a long page, in the sidebar. */
const contentsOf = (sections: readonly Section[], language: Language): string => {
  const shown = sections.filter(({ depth }) => depth === 2 || depth === 3)
  if (shown.length < 2) return ''
  const entries = shown.map(({ title, id, depth }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(title)}</a></li>`)
  const say = pageWords[language].onThisPage
  return `<nav class="contents" aria-label="${say}"><p>${say}</p><ul>${entries.join('')}</ul></nav>`
}

/** Links to the previous and next guide, and to the source of this one. */
const footerOf = (page: Source, before: Source | undefined, after: Source | undefined): string => {
  const say = pageWords[page.language]
  const link = (to: Source | undefined, rel: 'prev' | 'next', label: string): string =>
    to ? `<a rel="${rel}" href="/docs/${to.path}"><small>${label}</small>${escapeHtml(to.title)}</a>` : '<span></span>'
  const around =
    before || after
      ? `<nav class="around" aria-label="${say.guides}">${link(before, 'prev', say.previous)}${link(after, 'next', say.next)}</nav>`
      : ''
  return `<footer>${around}<p><a href="/docs/${page.path}.md">${say.source}</a></p></footer>`
}

const card = ({ path, title, about }: Pick<Source, 'path' | 'title' | 'about'>): string =>
  `<li><a href="/docs/${path}">${escapeHtml(title)}</a><p>${escapeHtml(about.charAt(0).toUpperCase() + about.slice(1))}</p></li>`

const section = ({ title, id, pages }: Group, level: 2 | 3, more = ''): string =>
  `<section aria-labelledby="${id}"><h${level} id="${id}">${escapeHtml(title)}</h${level}><ul class="cards">${more}${pages.map(card).join('')}</ul></section>`

const api = {
  path: 'api/',
  title: 'REST interface',
  about: 'every operation, to read and to try; also as openapi.json, and what assistants are told and answer as asyncapi.json',
}

const inGerman = (pages: readonly Source[]): string => {
  const links = pages.map(({ path, title }) => `<a href="/docs/${path}" hreflang="de">${escapeHtml(title)}</a>`)
  return `<section lang="de" aria-labelledby="deutsch"><h3 id="deutsch">Auf Deutsch</h3><p>${links.join(' · ')}</p></section>`
}

/** The first page: an overview by task. */
const homeContent = ({ guides, others, german }: Sources, version: string): string => `<h1>Offhook documentation</h1>
<p class="lead">A call arrives, the caller's words reach your webhook as JSON, and what your webhook answers is spoken in the call.
Version ${escapeHtml(version)}. <a href="/docs/changelog">What is new</a> · for programs that read: <a href="/llms.txt">llms.txt</a></p>
<p class="start"><a class="button" href="/docs/guides/first-assistant">Your first assistant: five minutes, no phone</a></p>
<h2 id="guides">Guides</h2>
${guides.map((group) => section(group, 3)).join('\n')}
${inGerman([...german.values()])}
${others.map((group) => section(group, 2, group.id === 'reference' ? card(api) : '')).join('\n')}
`

/** For language models that read before they write code (llmstxt.org). Links point to Markdown. */
const llmsText = ({ guides, others }: Sources, operations: number): string => `# Offhook

> A self-hosted voice-assistant phone service. A call arrives, the caller's words reach your endpoint as JSON events over a webhook or a
> WebSocket, and the actions that it answers (speak, transfer, hangup …) are done in the call. Around it: a telephone account over REST.

- Every request but logging in carries \`Authorization: Bearer TOKEN\`, or Basic with a personal access token. Bodies are JSON.
- Errors are \`{ "name", "message", "code", "details"? }\`; \`code\` is for programs, \`details\` names fields.
- What belongs to another account is 404. Requests that cost money take an \`Idempotency-Key\`.
- /v1 is the account (users, devices, numbers, fax, SMS, portings, balance), /v2 are calls and history, /v3 are assistants (flows),
  /operator/v1 is for whoever runs the installation.

## OpenAPI

- [OpenAPI 3.1](/docs/openapi.json): all ${operations} operations with their shapes
- [The same for people](/docs/api/)
- [AsyncAPI 3](/docs/asyncapi.json): the events of a call and the actions that answer them, over webhooks and WebSockets
- JSON Schemas of [events](/docs/api/schemas/events.schema.json), [actions](/docs/api/schemas/actions.schema.json) and [scenario files](/docs/api/schemas/scenario.schema.json)

${[{ title: 'Guides', pages: guides.flatMap(({ pages }) => pages) }, ...others].map((group) => partOf(group)).join('\n\n')}
`

const partOf = ({ title, pages }: { title: string; pages: Sources['others'][number]['pages'] }): string =>
  `## ${title}\n\n${pages.map((page) => `- [${page.title}](/docs/${page.path}.md): ${page.about}`).join('\n')}`

type Part = [title: string, id: string, text: string]

/** A page as the browser's search script reads it. With a language it is found only by readers of that language. */
type Entry = [title: string, address: string, parts: Part[], language?: string]

/** Titles, headings and texts of all pages, for the search in the browser. */
const searchIndex = ({ german }: Sources, rendered: ReadonlyMap<Source, Rendered>): string =>
  JSON.stringify(
    [...rendered].map(([page, { sections }]): Entry => {
      const found = page.searched ? sections : sections.filter(({ depth }) => depth < rowDepth)
      const parts = found.map(({ title, id, depth, text }): Part => {
        const words = page.searched ? text : ''
        return depth === 1 ? ['', '', words] : [title, id, words]
      })
      const isOneOfTwo = page.language === 'de' || german.has(page.path)
      const [title, address] = [page.title, `/docs/${page.path}`]
      return isOneOfTwo ? [title, address, parts, page.language] : [title, address, parts]
    }),
  )

/** Everything below /docs/: path → content, compressed except for images. */
interface Site {
  files: Map<string, Uint8Array>
  /** Broken links, images without a description. */
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

/** Adds the code to examples. */
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

/** Assets that browsers may cache forever: their names change with their content. */
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

/** Script labels come from the same table as all others. */
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

/** Only images that a page shows. */
const putPictures = (files: Map<string, Uint8Array>, pages: Iterable<Rendered>): void => {
  const shown = [...pages].flatMap(({ links }) => links).filter((link) => link.startsWith('/docs/screens/'))
  for (const link of shown) files.set(link.slice('/docs/'.length), readFileSync(join(root, link.slice(1))))
}
