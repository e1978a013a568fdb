import type { FastifyInstance } from 'fastify'

/** Which methods each address understands, so that a wrong method can be told from a wrong address. */
export class KnownMethods {
  readonly #routes = new Map<string, { pattern: RegExp; methods: Set<string> }>()

  /** To be installed before the first route. */
  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ url, method }) => {
      const route = this.#routes.get(url) ?? { pattern: patternOf(url), methods: new Set(['OPTIONS']) }
      for (const one of [method].flat()) route.methods.add(one)
      this.#routes.set(url, route)
    })
  }

  at(url: string): string[] {
    const path = url.split('?', 1)[0] ?? ''
    const found = [...this.#routes.values()].filter(({ pattern }) => pattern.test(path))
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].toSorted()
  }
}

/** `/v1/users/:userId` → what such an address looks like. */
const patternOf = (url: string): RegExp => new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`)
