import { elementsOf, isPagedByHandler, type Operation } from '@offhook/contract/operation.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { PiecesReply } from '../reply/send-json.ts'

interface Page {
  limit?: number
  offset?: number
}

/** What a handler returns for a list: all of it, or the requested page with some of these. */
interface ListReply extends Record<string, unknown> {
  totalCount?: number
  totalIsMinimum?: boolean
  more?: boolean
  nextCursor?: string
  /** Time to which a search looked back. */
  readTo?: string
}

type Pager = (request: FastifyRequest, reply: FastifyReply, answer: unknown) => unknown

/** Cuts the requested page out of a list, unless the handler did, and adds Link headers (RFC 8288). Undefined if the operation is no list. */
export const pagerOf = (operation: Operation): ((query: object) => Pager) | undefined => {
  const elements = elementsOf(operation)
  if (!elements) return undefined
  const limit: { default?: number } | undefined = operation.query?.properties['limit']
  const isPagedHere = !isPagedByHandler(operation)
  return (query: Page) => {
    const isWhole = isPagedHere && query.limit === undefined && query.offset === undefined
    if (isWhole) return (_request, _reply, answer) => answer
    return (request, reply, answer) => {
      if (answer instanceof PiecesReply) return answer
      const list = answer as ListReply
      const page = isPagedHere && list.totalCount === undefined ? cut(list, elements, query) : list
      const links = linksOf(request.url, { limit: limit?.default, ...query }, page, (page[elements] as unknown[]).length)
      if (links.length > 0) void reply.header('link', links.join(', '))
      return page
    }
  }
}

const cut = (list: ListReply, elements: string, { limit = Infinity, offset = 0 }: Page): ListReply => {
  const all = list[elements] as unknown[]
  return { ...list, [elements]: all.slice(offset, offset + limit), totalCount: all.length }
}

/** Relative to the request, whose host and scheme a proxy may have replaced. */
const linksOf = (url: string, query: { limit?: number | undefined; offset?: number; cursor?: string }, page: ListReply, count: number) => {
  const { limit, offset = 0, cursor } = query
  const { totalCount, totalIsMinimum } = page
  const to = (rel: string, change: Record<string, string | number>): string => `<${withQuery(url, change)}>; rel="${rel}"`
  const isByCursor = cursor !== undefined
  const next = nextPlace(page, { limit: isByCursor ? undefined : limit, offset, count })
  const links = next ? [to('next', next)] : []
  if (isByCursor || limit === undefined) return links
  if (offset > 0) links.push(to('prev', { offset: Math.max(0, offset - limit) }))
  links.push(to('first', { offset: 0 }))
  if (totalCount !== undefined && !totalIsMinimum)
    links.push(to('last', { offset: Math.max(0, Math.ceil(totalCount / limit) - 1) * limit }))
  return links
}

const nextPlace = (
  { nextCursor, readTo, totalCount, totalIsMinimum, more }: ListReply,
  { limit, offset, count }: { limit: number | undefined; offset: number; count: number },
): Record<string, string | number> | undefined => {
  if (nextCursor !== undefined) return { cursor: nextCursor }
  if (readTo !== undefined) return { before: readTo }
  if (limit === undefined) return undefined
  const isLast = totalCount === undefined || totalIsMinimum ? more === false || count < limit : offset + count >= totalCount
  return isLast || count === 0 ? undefined : { offset: offset + limit }
}

/** A cursor or time replaces the offset. */
const withQuery = (url: string, change: Record<string, string | number>): string => {
  const [path = '', query = ''] = url.split('?', 2)
  const changed = new URLSearchParams(query)
  for (const name of ['offset', 'cursor']) changed.delete(name)
  for (const [name, value] of Object.entries(change)) changed.set(name, String(value))
  return `${path.replaceAll('<', '%3C').replaceAll('>', '%3E')}?${changed.toString()}`
}
