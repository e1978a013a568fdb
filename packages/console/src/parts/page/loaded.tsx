import { Skeleton, Stack } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useText } from '#words/use-text.tsx'
import { ErrorNotice } from '../form/error-notice.tsx'
import { text } from '../text.ts'

interface LoadedProps<T> {
  query: UseQueryResult<T>
  /** Placeholder; default: a few grey lines. */
  waiting?: ReactNode
  children: (data: T) => ReactNode
}

/** Shows a placeholder, the error, or the loaded data. */
export const Loaded = <T,>({ query, waiting = <WaitingRows />, children }: LoadedProps<T>) => {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
  return waiting
}

/** Grey placeholder rows. */
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
