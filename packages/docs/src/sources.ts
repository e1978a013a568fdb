import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Language } from './page-words.ts'

/** A page of the site and its Markdown source. */
export interface Source {
  /** Address below /docs/, without extension. */
  path: string
  /** The file, relative to the root of the repository. */
  file: string
  title: string
  /** One line for lists. */
  about: string
  language: Language
  /** Whether its text is indexed; for other pages only the headings are. */
  searched: boolean
}

export interface Group {
  title: string
  id: string
  pages: readonly Source[]
}

export interface Sources {
  guides: readonly Group[]
  others: readonly Group[]
  /** German versions, by the path of the English page. */
  german: ReadonlyMap<string, Source>
}

const guideList = 'docs/guides/README.md'

/** A line of the list of guides: `- [Title](file.md): what it is about`. */
const guideLine = /^- \[([^\]]+)\]\(([\w-]+)\.md\): (.+)$/

/** The list of guides is also the order of the site: its headings are the groups. */
const readGuides = (root: string): Group[] =>
  readFileSync(join(root, guideList), 'utf8')
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...lines] = part.split('\n')
      return { title, id: idOf(title), pages: lines.flatMap((line) => guideOf(line)) }
    })

const guideOf = (line: string): Source[] => {
  const [, title, name, about] = guideLine.exec(line) ?? []
  if (title === undefined || name === undefined || about === undefined) return []
  return [{ path: `guides/${name}`, file: `docs/guides/${name}.md`, title, about, language: 'en', searched: true }]
}

const idOf = (title: string): string => title.toLowerCase().replace(/\W+/g, '-')

type Row = readonly [file: string, path: string, title: string, about: string]

/** Pages other than guides. Missing files are skipped. */
const reference: readonly Row[] = [
  ['docs/settings.md', 'settings', 'Settings', 'every setting, its default and its meaning'],
  ['docs/errors.md', 'errors', 'Errors', 'every code that the interface answers'],
  ['docs/log-events.md', 'log-events', 'Log events', 'every line of the log, and what to do about it'],
  ['docs/metrics.md', 'metrics', 'Metrics', 'every figure of /metrics'],
  ['docs/alerts.md', 'alerts', 'Alerts', 'every alert, what it means and what to do'],
]
/** Columns of tables would make the search index a twentieth larger. */
const personalData: Row = [
  'docs/personal-data.md',
  'personal-data',
  'Personal data',
  'every table: what it holds about persons, how long, and what an erasure does',
]
const about: readonly Row[] = [
  ['CHANGELOG.md', 'changelog', 'Changelog', 'what is new, by version'],
  ['docs/benchmarks.md', 'benchmarks', 'Benchmarks', 'measured figures'],
  ['docs/scale.md', 'scale', 'How far it goes', 'what the figures mean for large installations'],
  ['SECURITY.md', 'security-policy', 'Security policy', 'what the service does by itself, and how to report a hole'],
  ['docs/third-party.md', 'third-party', 'Third-party notices', 'what others have written'],
  ['docs/licences.md', 'licences', 'Licences', 'of every package'],
]

const pagesOf = (root: string, rows: readonly Row[], searched: boolean): Source[] =>
  rows
    .filter(([file]) => globSync(file, { cwd: root }).length > 0)
    .map(([file, path, title, line]) => ({ path, file, title, about: line, language: 'en', searched }))

/** Folders whose README is a separate page. */
const readmes = (root: string, pattern: string): Source[] =>
  globSync(pattern, { cwd: root, exclude: ['**/node_modules/**'] })
    .toSorted()
    .map((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const title = /^# (.+)$/m.exec(text)?.[1] ?? basename(dirname(file))
      return { path: dirname(file), file, title, about: firstSentence(text), language: 'en', searched: true }
    })

const firstSentence = (text: string): string =>
  text
    .replace(/^#.*\n+/, '')
    .split('\n\n')[0]
    ?.replace(/\s+/g, ' ')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/`/g, '')
    .replace(/([.:;]) .*$/, '')
    .replace(/[.:;]$/, '') ?? ''

/** Pages that nobody has described here yet: better at the end of the reference than nowhere. */
const unlisted = (root: string): Source[] => {
  const listed = new Set([...reference, personalData, ...about].map(([file]) => file))
  return readmes(root, 'docs/*.md')
    .filter(({ file }) => !listed.has(file))
    .map((page) => ({ ...page, path: basename(page.file, '.md') }))
}

/** Where the guides of another language are: the same names in a folder of their own. */
const readGerman = (root: string, guides: readonly Group[]): Map<string, Source> => {
  const names = new Map(guides.flatMap(({ pages }) => pages).map((page) => [basename(page.file), page]))
  return new Map(
    globSync('docs/guides/de/*.md', { cwd: root })
      .toSorted()
      .flatMap((file) => {
        const english = names.get(basename(file))
        const title = /^# (.+)$/m.exec(readFileSync(join(root, file), 'utf8'))?.[1]
        if (!english || title === undefined) return []
        return [[english.path, { ...english, file, title, path: `guides/de/${basename(file, '.md')}`, language: 'de' }]]
      }),
  )
}

export const readSources = (root: string): Sources => {
  const guides = readGuides(root)
  const others = [
    {
      title: 'Reference',
      id: 'reference',
      pages: [...pagesOf(root, reference, true), ...pagesOf(root, [personalData], false), ...unlisted(root)],
    },
    { title: 'Examples', id: 'examples', pages: readmes(root, 'examples/*/README.md') },
    { title: 'Deployment files', id: 'deployment-files', pages: readmes(root, 'deploy/**/README.md') },
    { title: 'About', id: 'about', pages: pagesOf(root, about, false) },
  ]
  return { guides, others: others.filter(({ pages }) => pages.length > 0), german: readGerman(root, guides) }
}

export const everyPage = ({ guides, others, german }: Sources): Source[] => [
  ...[...guides, ...others].flatMap(({ pages }) => pages),
  ...german.values(),
]
