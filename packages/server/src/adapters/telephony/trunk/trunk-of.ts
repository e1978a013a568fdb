import type { Trunk } from '#core/kernel/ports/store/operate/trunks.ts'
import type { Request } from '@offhook/sip/message/message.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { parseUri } from '@offhook/sip/grammar/uri.ts'
import type { Edge } from '../guard/edge.ts'
import type { Trunks } from './trunks.ts'

/** What only a device of ours calls itself: seven digits of its account and its extension. */
const deviceUser = /^\d{7}e\d{1,9}$/

/**
 * The trunk that a request comes from; undefined: it has to prove which device it is. Phones may live at a trunk's address, too: they are
 * told apart by what they call themselves or prove. Behind our edge all have its address, so that counts for nothing there.
 */
export const trunkOf = (
  trunks: Pick<Trunks, 'find' | 'among'>,
  edge: Edge,
  { request, from }: { request: Request; from: Flow },
): Trunk | undefined => {
  const proving = request.header('authorization') !== undefined || request.header('proxy-authorization') !== undefined
  if (proving || deviceUser.test(userOf(request.from.uri) ?? '')) return undefined
  if (edge.isAt(from)) return trunks.among(edge.trunksOf(request, from), edge.sourceOf(request, from).kind, request.target.user)
  return trunks.find(from, request.target.user)
}

const userOf = (uri: string): string | undefined => {
  try {
    return parseUri(uri).user
  } catch {
    return undefined
  }
}
