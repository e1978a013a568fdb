import type { Query } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { queryClient } from '#api/query-client.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from '../text.ts'
import classes from './unreachable.module.css'

const retryIntervalMs = 3_000

/** A displayed query without any reply: a rejection would be one. */
const isUnanswered = (query: Query): boolean =>
  query.isActive() && (query.state.error ?? query.state.fetchFailureReason) instanceof TypeError

const cache = queryClient.getQueryCache()
const subscribe = (notify: () => void): (() => void) => cache.subscribe(notify)
const isUnreachable = (): boolean => cache.getAll().some(isUnanswered)

/** Warns that the data may be old because the service does not respond, and retries until it does. */
export const Unreachable = () => {
  const say = useText(text)
  const isGone = useSyncExternalStore(subscribe, isUnreachable)
  useEffect(() => {
    if (!isGone) return undefined
    const timer = setInterval(() => void queryClient.refetchQueries({ predicate: isUnanswered }, { cancelRefetch: false }), retryIntervalMs)
    return () => clearInterval(timer)
  }, [isGone])
  return (
    <div role="status" className={classes.place}>
      {isGone && (
        <span className={classes.notice}>
          <Icon name="alert" size={16} />
          {say.unreachable}
        </span>
      )}
    </div>
  )
}
