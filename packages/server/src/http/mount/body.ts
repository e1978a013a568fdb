import { setImmediate as nextTurn } from 'node:timers/promises'
import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { large, parseJson, parseLargeJson } from './parse-json.ts'

/**
 * JSON and forms. An empty body is no body, whatever the content type says: clients send the header out of habit. And some forget it:
 * a body without a content type is read as JSON, and so is one that is plainly JSON under the type that curl gives to every body.
 */
export const installBodyParsers = (app: FastifyInstance): void => {
  const asJson = (request: FastifyRequest, text: string): unknown => {
    request.rawBody = text
    return text.length < large ? parseJson(text) : parseLargeJson(text)
  }
  app.removeAllContentTypeParsers()
  parseWith(app, 'application/json', asJson)
  parseWith(app, formType, (request, text) => (/^\s*[{[]/.test(text) ? asJson(request, text) : parseForm(text)))
  parseWith(app, '*', (request, text) => {
    if (request.headers['content-type']) throw new Problem('media_type_unsupported')
    return asJson(request, text)
  })
}

const formType = 'application/x-www-form-urlencoded'

const parseWith = (app: FastifyInstance, contentType: string, parse: (request: FastifyRequest, text: string) => unknown): void => {
  app.addContentTypeParser(contentType, { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    if (bytes.length >= large) {
      parseInSlices(bytes, (text) => parse(request, text)).then((body) => done(null, body), done)
      return
    }
    try {
      done(null, parse(request, bytes.toString()))
    } catch (error) {
      done(error as Error, undefined)
    }
  })
}

/** To join the pieces of a large body, to make a text of it and to read that takes milliseconds each: calls and other requests come in between. */
const parseInSlices = async (bytes: Buffer, parse: (text: string) => unknown): Promise<unknown> => {
  await nextTurn()
  const text = bytes.toString()
  await nextTurn()
  return parse(text)
}

/** For the pages and token endpoints of the identity provider. */
export const acceptOnlyForms = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers()
  parseWith(scope, formType, (_request, text) => parseForm(text))
}

/** A field that is given twice is refused: which of the two was meant? (RFC 6749 §3.1) */
export const parseForm = (text: string): Record<string, string> => {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>
  for (const [name, value] of new URLSearchParams(text)) {
    if (name in fields) throw Problem.field(name, 'is given more than once')
    if (value.includes('\0')) throw Problem.field(name, 'contains a NUL character')
    fields[name] = value
  }
  return { ...fields }
}
