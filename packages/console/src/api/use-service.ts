import { useMutation, useQuery, useQueryClient, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'
import { api, type ApiError, type Client } from './client.ts'

export type OperationId = keyof Client
/** Input of an operation: path and query parameters, then the body. */
export type InputOf<Id extends OperationId> = Parameters<Client[Id]>
export type OutputOf<Id extends OperationId> = Awaited<ReturnType<Client[Id]>>
type TargetOf<Id extends OperationId> = InputOf<Id>[0]

interface ReadOptions<Output = unknown> {
  /** Milliseconds between polls. */
  every?: number
  /** Final state, after which polling stops. */
  until?: (output: Output) => boolean
  /** False: not yet, because a dependency is unknown. */
  when?: boolean
}

type AnyCall = (...input: unknown[]) => Promise<never>

/** Cache key and request of a read, for prefetching. */
export const readOf = <Id extends OperationId>(id: Id, target?: TargetOf<Id>) => ({
  queryKey: [id, target ?? {}],
  queryFn: (): Promise<OutputOf<Id>> => (api[id] as AnyCall)(target),
})

/** The reply of an operation, cached and shared by name and parameters. */
export const useRead = <Id extends OperationId>(
  id: Id,
  target?: TargetOf<Id>,
  { every, until = () => false, when = true }: ReadOptions<OutputOf<Id>> = {},
): UseQueryResult<OutputOf<Id>, ApiError> =>
  useQuery<OutputOf<Id>, ApiError>({
    ...readOf(id, target),
    enabled: when,
    ...(every !== undefined && {
      refetchInterval: ({ state: { data } }) => (data !== undefined && until(data) ? false : every),
    }),
  })

interface WriteOptions<Id extends OperationId> {
  /** Reads invalidated afterwards. */
  refreshes?: readonly OperationId[]
  onDone?: (output: OutputOf<Id>, input: InputOf<Id>) => void
}

/**
 * `write.mutate([target, body])`. Completes after the invalidated reads are refreshed. Ignores the same input while it is pending: a double
 * click does not pay twice.
 */
export const useWrite = <Id extends OperationId>(
  id: Id,
  { refreshes = [], onDone }: WriteOptions<Id> = {},
): UseMutationResult<OutputOf<Id>, ApiError, InputOf<Id>> => {
  const queries = useQueryClient()
  const underWay = useRef<InputOf<Id>>(undefined)
  const mutation = useMutation<OutputOf<Id>, ApiError, InputOf<Id>>({
    mutationFn: (input) => (api[id] as AnyCall)(...input),
    onSuccess: async (output, input) => {
      await Promise.all(refreshes.map((read) => queries.invalidateQueries({ queryKey: [read] })))
      onDone?.(output, input)
    },
    onSettled: () => {
      underWay.current = undefined
    },
  })
  const { mutate: send } = mutation
  const mutate = useCallback<typeof send>(
    (...request) => {
      const [input] = request as [InputOf<Id>]
      if (underWay.current && JSON.stringify(underWay.current) === JSON.stringify(input)) return
      underWay.current = input
      send(...request)
    },
    [send],
  )
  return { ...mutation, mutate }
}
