import { useState } from 'react'
import { useMe } from '#api/use-me.ts'
import { kindOf, ownerIn, type EndpointKind } from './endpoints.ts'
import { belongsToUser, useEndpoints, type Choice } from './use-endpoints.ts'

export interface Target {
  kind: EndpointKind | undefined
  userId: string | undefined
  /** What is chosen; empty for nowhere, or as long as nothing can be chosen. */
  endpointId: string
  choices: readonly Choice[] | undefined
  setKind: (kind: EndpointKind | undefined) => void
  setUser: (userId: string) => void
  setEndpoint: (endpointId: string) => void
}

export interface Routed {
  endpointId: string
  endpointUrl: string
}

/** Where something shall lead to, chosen step by step: what it is, whose, which one. The first one is chosen until another one is. */
export const useTarget = ({ endpointId, endpointUrl }: Routed, usually?: EndpointKind): Target => {
  const me = useMe()?.id
  const [kind, setKind] = useState(kindOf(endpointId) ?? usually)
  const [owner, setUser] = useState(ownerIn(endpointUrl))
  const [chosen, setEndpoint] = useState(endpointId)
  const userId = owner ?? me
  const choices = useEndpoints(kind, userId)
  const known = choices?.some(({ id }) => id === chosen)
  return {
    kind,
    userId: kind !== undefined && belongsToUser(kind) ? userId : undefined,
    endpointId: known ? chosen : (choices?.[0]?.id ?? ''),
    choices,
    setKind,
    setUser,
    setEndpoint,
  }
}
