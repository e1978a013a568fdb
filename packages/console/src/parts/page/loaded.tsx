import { Skeleton, Stack } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useText } from '#words/use-text.tsx'
import { ErrorNotice } from '../form/error-notice.tsx'
import { text } from '../text.ts'

export interface LoadedProps<T> {
  query: UseQueryResult<T>
  /** What is shown meanwhile; usually a few grey lines. */
  waiting?: ReactNode
  children: (data: T) => ReactNode
}

/** Waits for an answer, shows what is wrong with it, or hands it over. */
export const Loaded = <T,>({ query, waiting = <WaitingRows />, children }: LoadedProps<T>) => {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
  return waiting
}

/** Grey lines where rows will be. */
export const WaitingRows = ({ count = 4 }: { count?: number }) => {
  const say = useText(text)
  return (
    <Stack gap="sm" p="md" role="status" aria-label={say.loading}>
      {Array.from({ length: count }, (_, index) => (
        <Skeleton key={index} height={20} width={`${92 - ((index * 17) % 40)}%`} />
      ))}
    </Stack>
  )
}
