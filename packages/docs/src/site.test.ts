import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { Marked, type Token, type Tokens } from 'marked'
import { highlighted } from './highlight.ts'
import { slugOf } from './markdown.ts'
import { renderSite } from './site.ts'

const root = join(import.meta.dirname, '../../..')
const { files, problems } = renderSite()
const textOf = (path: string): string => gunzipSync(files.get(path) ?? '').toString()

/** All documents in the repository. */
const documents = globSync(['*.md', '{docs,deploy,examples,release,.github}/**/*.md', 'packages/*/README.md'], {
  cwd: root,
  exclude: ['**/node_modules/**', '**/dist/**'],
})

const tokensOf = (file: string): Token[] => {
  const marked = new Marked()
  const found: Token[] = []
  void marked.walkTokens(marked.lexer(readFileSync(join(root, file), 'utf8')), (token) => void found.push(token))
  return found
}
const all = new Map(documents.map((file) => [file, tokensOf(file)]))

const idsOf = (file: string): Set<string> => {
  const seen = new Map<string, number>()
  const headings = (all.get(file) ?? []).filter((token): token is Tokens.Heading => token.type === 'heading')
  return new Set(
    headings.map(({ text }) => {
      const slug = slugOf(text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
      const before = seen.get(slug) ?? 0
      seen.set(slug, before + 1)
      return before === 0 ? slug : `${slug}-${before}`
    }),
  )
}

test('every link between repository files leads to an existing file and heading', () => {
  const broken: string[] = []
  for (const [file, tokens] of all)
    for (const token of tokens) {
      if (token.type !== 'link' && token.type !== 'image') continue
      const { href } = token as Tokens.Link
      if (/^[a-z][a-z+.-]*:/i.test(href)) {
        if (!URL.canParse(href)) broken.push(`${file}: ${href} is no address`)
        continue
      }
      if (href.startsWith('/')) continue // an address of the running service; the site crawl checks them
      const [path = '', heading] = href.split('#')
      const target = path === '' ? file : normalize(join(dirname(file), path)).replace(/\/$/, '')
      if (!existsSync(join(root, target))) broken.push(`${file}: ${href} is not there`)
      else if (heading !== undefined && statSync(join(root, target)).isFile() && !idsOf(target).has(heading))
        broken.push(`${file}: no heading ${href}`)
    }
  assert.deepEqual(broken, [])
})

test('the site contains everything that its pages link to', () => {
  assert.deepEqual(problems, [])
})

test('every guide is in the list, and so on the site', () => {
  const guides = globSync('docs/guides/*.md', { cwd: root }).map((file) => file.slice('docs/'.length, -'.md'.length))
  for (const guide of guides.filter((name) => name !== 'guides/README'))
    assert.ok(files.has(`${guide}.html`), `${guide} is missing in docs/guides/README.md`)
})

test('a German guide has the parts of the English one: headings, rows, points and identical commands', () => {
  const shape = (file: string): string[] => {
    const marked = new Marked()
    return marked.lexer(readFileSync(join(root, file), 'utf8')).flatMap((token) => {
      if (token.type === 'heading') return [`heading ${(token as Tokens.Heading).depth}`]
      if (token.type === 'code') return [`${token.lang}: ${token.text}`]
      if (token.type === 'table') return [`table of ${(token as Tokens.Table).rows.length}`]
      return token.type === 'list' ? [`list of ${(token as Tokens.List).items.length}`] : []
    })
  }
  const german = globSync('docs/guides/de/*.md', { cwd: root })
  assert.ok(german.length > 0)
  for (const file of german) assert.deepEqual(shape(file), shape(file.replace('/de/', '/')), file)
})

test('every linked anchor exists', () => {
  const pages = [...files.keys()].filter((path) => path.endsWith('.html'))
  const html = new Map(pages.map((path) => [path, textOf(path)]))
  for (const [path, text] of html) {
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    assert.equal(new Set(ids).size, ids.length, `${path} has a place twice: ${ids.filter((id, at) => ids.indexOf(id) !== at).join(', ')}`)
    for (const [, address = '', id] of text.matchAll(/href="(\/docs\/[^"#]*)?#([^"]+)"/g)) {
      const target = address === '' ? path : address === '/docs/' ? 'index.html' : `${address.slice('/docs/'.length)}.html`
      if (address !== '/docs/api/') assert.match(html.get(target) ?? '', new RegExp(` id="${id}"`), `${path}: ${address}#${id}`)
    }
  }
})

test('the search index is small and has headings, texts and names', () => {
  const [path = ''] = [...files.keys()].filter((name) => name.startsWith('assets/search-'))
  assert.ok((files.get(path)?.length ?? 0) < 150_000, 'compressed, as it is sent')
  const pages = JSON.parse(textOf(path)) as [string, string, [string, string, string][]][]
  const settings = pages.find(([, address]) => address === '/docs/settings')?.[2] ?? []
  assert.ok(settings.some(([title, id, text]) => title === 'OFFHOOK_HTTP' && id === title && text.includes('REST interface')))
  const guide = pages.find(([, address]) => address === '/docs/guides/first-assistant')?.[2] ?? []
  assert.ok(guide.some(([title, id, text]) => title === 'Signatures' && id === 'signatures' && text.includes('whsec_')))
})

test('highlighting keeps the text of code', () => {
  const plain = (html: string): string =>
    html
      .replace(/<[^>]+>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&')
  for (const tokens of all.values())
    for (const token of tokens) if (token.type === 'code') assert.equal(plain(highlighted(token.text, token.lang ?? '')), token.text)
  assert.equal(
    highlighted('export A="x" # note', 'sh'),
    '<span class="k">export</span> <span class="v">A</span>=<span class="s">&quot;x&quot;</span> <span class="c"># note</span>',
  )
})
