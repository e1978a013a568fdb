import type { Scenario } from '@offhook/contract/assistant/scenario.ts'
import { isNode, LineCounter, parseDocument, stringify, type Document } from 'yaml'

/** Something that is wrong with a text, and in which line. */
export interface LineProblem {
  /** From 1; 0: it cannot be said. */
  line: number
  /** What the service calls it: steps/2/say. */
  field?: string
  problem: string
}

/** A scenario as it is written in a file. */
export const yamlOf = (scenario: Scenario): string => stringify(scenario, { lineWidth: 100 })

/** YAML, of which JSON is a part. What is in it is checked by the service; here only that it can be read. */
export class ScenarioYaml {
  readonly #lines = new LineCounter()
  readonly #document: Document

  constructor(typed: string) {
    this.#document = parseDocument(typed, { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: true })
  }

  get problems(): LineProblem[] {
    return this.#document.errors.map(({ message, pos: [at] }) => ({ line: this.#lines.linePos(at).line, problem: message }))
  }

  /** Undefined: there is no name by which it could be kept. */
  get scenario(): Scenario | undefined {
    const value: unknown = this.#document.toJS()
    if (typeof value !== 'object' || value === null || !('name' in value)) return undefined
    return typeof value.name === 'string' && value.name.trim() !== '' ? (value as Scenario) : undefined
  }

  /** Where something stands that the service names as `steps/2/say`; of what is missing, where it should be. */
  lineOf(field: string): number {
    const path = field.split('/').map((name) => (/^\d+$/.test(name) ? Number(name) : name))
    for (let depth = path.length; depth > 0; depth -= 1) {
      const node = this.#document.getIn(path.slice(0, depth), true)
      if (isNode(node) && node.range) return this.#lines.linePos(node.range[0]).line
    }
    return 0
  }
}
