import { escapeHtml } from './highlight.ts'
import type { Section } from './markdown.ts'
import { pageWords, type Language } from './page-words.ts'
import type { Source, Sources } from './sources.ts'

/** Addresses of the style sheet and the scripts; their names change with their content. */
export interface Assets {
  style: string
  script: string
  icon: string
  search: string
}

interface Frame {
  title: string
  language: Language
  /** Of this page below /docs/; empty for the first. */
  path: string
  assets: Assets
  navigation: string
  contents?: string
  otherLanguage?: Source | undefined
  content: string
}

/** What stands around the content of every page. */
export const framed = ({ title, language, path, assets, navigation, contents = '', otherLanguage, content }: Frame): string => {
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

/** Every page, in groups; this one is marked. */
export const navigationOf = (sources: Sources, current: Source | undefined): string => {
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

/** The headings of a long page, at its side. */
export const contentsOf = (sections: readonly Section[], language: Language): string => {
  const shown = sections.filter(({ depth }) => depth === 2 || depth === 3)
  if (shown.length < 2) return ''
  const entries = shown.map(({ title, id, depth }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(title)}</a></li>`)
  const say = pageWords[language].onThisPage
  return `<nav class="contents" aria-label="${say}"><p>${say}</p><ul>${entries.join('')}</ul></nav>`
}

/** The way on through the guides, and the source of this one. */
export const footerOf = (page: Source, before: Source | undefined, after: Source | undefined): string => {
  const say = pageWords[page.language]
  const link = (to: Source | undefined, rel: 'prev' | 'next', label: string): string =>
    to ? `<a rel="${rel}" href="/docs/${to.path}"><small>${label}</small>${escapeHtml(to.title)}</a>` : '<span></span>'
  const around =
    before || after
      ? `<nav class="around" aria-label="${say.guides}">${link(before, 'prev', say.previous)}${link(after, 'next', say.next)}</nav>`
      : ''
  return `<footer>${around}<p><a href="/docs/${page.path}.md">${say.source}</a></p></footer>`
}
