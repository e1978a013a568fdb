import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** What the `package.json` of a workspace says; the published one is made from it. */
export interface Workspace {
  name: string
  version: string
  description: string
  keywords: string[]
  license: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** A package that is published: a folder with everything in it, made from a workspace. */
export interface Published {
  workspace: 'contract' | 'sip' | 'smpp' | 'sdk' | 'agent' | 'gateway' | 'mcp' | 'server'
  /** Where its sources are, and where the folder is made. */
  src: string
  dist: string
  /** The oldest Node that runs it. The service brings its own where that one is older than 24. */
  node: string
  /** What `import '…'` of the package itself gives; without, files are imported by name. Undefined for a program, which has no types either. */
  library: { index?: string } | undefined
}

const published = (workspace: Published['workspace'], node: string, library?: Published['library']): Published => {
  const folder = join(root, 'packages', workspace)
  return { workspace, src: join(folder, 'src'), dist: join(folder, 'dist'), node, library }
}

/** In the order in which they need each other. */
export const libraries: readonly Published[] = [
  published('contract', '20', { index: 'api/index' }),
  published('sip', '22', {}),
  published('smpp', '22', {}),
  published('sdk', '20', { index: 'index' }),
  published('agent', '22', { index: 'index' }),
  published('gateway', '22', { index: 'index' }),
  published('mcp', '22', { index: 'index' }),
]
export const service: Published = published('server', '20')

/** Not for others: tests, what helps them, examples, and what writes files of the repository. */
const atHome = /\.test\.ts$|(^|\/)(testing|examples)\/|^generate\//

export const isPublished = (file: string): boolean => !atHome.test(file)

export const workspaceOf = ({ workspace }: Published): Workspace => readJson(join(root, 'packages', workspace, 'package.json')) as Workspace

export const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))
