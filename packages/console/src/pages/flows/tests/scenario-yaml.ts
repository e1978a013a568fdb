import type { Scenario } from '@offhook/contract/assistant/scenario.ts'
import { isNode, LineCounter, parseDocument, stringify, type Document } from 'yaml'

/** A problem in a text, with its line. */
export interface LineProblem {
  /** From 1; 0: unknown. */
  line: number
  /** The service's path: steps/2/say. */
  field?: string
  problem: string
}

/** A scenario as file text. */
export const yamlOf = (scenario: Scenario): string => stringify(scenario, { lineWidth: 100 })

/** YAML, including JSON. The service validates the content; this checks only the syntax. */
export class ScenarioYaml {
  readonly #lines = new LineCounter()
  readonly #document: Document

  constructor(typed: string) {
    this.#document = parseDocument(typed, { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: true })
  }

  get problems(): LineProblem[] {
    return this.#document.errors.map(({ message, pos: [at] }) => ({ line: this.#lines.linePos(at).line, problem: message }))
  }

  /** Undefined without a name to store it under. */
  get scenario(): Scenario | undefined {
    const value: unknown = this.#document.toJS()
    if (typeof value !== 'object' || value === null || !('name' in value)) return undefined
    return typeof value.name === 'string' && value.name.trim() !== '' ? (value as Scenario) : undefined
  }

  /** Line of a service path such as `steps/2/say`; for a missing field, of its parent. */
  lineOf(field: string): number {
    const path = field.split('/').map((name) => (/^\d+$/.test(name) ? Number(name) : name))
    for (let depth = path.length; depth > 0; depth -= 1) {
      const node = this.#document.getIn(path.slice(0, depth), true)
      if (isNode(node) && node.range) return this.#lines.linePos(node.range[0]).line
    }
    return 0
  }
}
