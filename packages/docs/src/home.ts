import { escapeHtml } from './highlight.ts'
import type { Group, Source, Sources } from './sources.ts'

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

/** The first page: what there is, by task. */
export const homeContent = ({ guides, others, german }: Sources, version: string): string => `<h1>Offhook documentation</h1>
<p class="lead">A call arrives, the caller's words reach your webhook as JSON, and what your webhook answers is spoken in the call.
Version ${escapeHtml(version)}. <a href="/docs/changelog">What is new</a> · for programs that read: <a href="/llms.txt">llms.txt</a></p>
<p class="start"><a class="button" href="/docs/guides/first-assistant">Your first assistant: five minutes, no phone</a></p>
<h2 id="guides">Guides</h2>
${guides.map((group) => section(group, 3)).join('\n')}
${inGerman([...german.values()])}
${others.map((group) => section(group, 2, group.id === 'reference' ? card(api) : '')).join('\n')}
`
