import { useMutation, useQuery, useQueryClient, type UseMutationResult, type UseQueryResult } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'
import { api, type ApiError, type Client } from './client.ts'

export type OperationId = keyof Client
/** What an operation takes: path and query parameters, then the body. */
export type InputOf<Id extends OperationId> = Parameters<Client[Id]>
export type OutputOf<Id extends OperationId> = Awaited<ReturnType<Client[Id]>>
type TargetOf<Id extends OperationId> = InputOf<Id>[0]

export interface ReadOptions<Output = unknown> {
  /** Milliseconds between looks at something that changes by itself. */
  every?: number
  /** What has become so does not change any more, and is not looked at again. */
  until?: (output: Output) => boolean
  /** False: not yet, because something it needs is not known. */
  when?: boolean
}

type AnyCall = (...input: unknown[]) => Promise<never>

/** How a read is kept and how it is asked for: for what fetches it before a component does. */
export const readOf = <Id extends OperationId>(id: Id, target?: TargetOf<Id>) => ({
  queryKey: [id, target ?? {}],
  queryFn: (): Promise<OutputOf<Id>> => (api[id] as AnyCall)(target),
})

/** What an operation answers, kept and shared under its name and parameters. */
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

export interface WriteOptions<Id extends OperationId> {
  /** Reads that tell something else afterwards. */
  refreshes?: readonly OperationId[]
  onDone?: (output: OutputOf<Id>, input: InputOf<Id>) => void
}

/**
 * `write.mutate([target, body])`. What changed is read again before it counts as done. The same wish is not sent a second time while it
 * is under way: a double click does not pay twice.
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
