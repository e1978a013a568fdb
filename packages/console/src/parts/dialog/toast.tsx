import { Alert, Box } from '@mantine/core'
import { createContext, use, useCallback, useMemo, useState, type ReactNode } from 'react'
import { useText } from '#words/use-text.tsx'
import { Icon } from '../icon/icon.tsx'
import { text } from '../text.ts'
import classes from './toast.module.css'
import { useErrorText } from '../form/use-error-text.ts'

type Content = { words: string; error?: undefined } | { error: unknown }
type Toast = { id: number } & Content

interface Toasts {
  /** Success message: "Saved". */
  done: (words: string) => void
  /** A failure without a place on the page. */
  failed: (error: unknown) => void
}

const ToastContext = createContext<Toasts>({ done: () => undefined, failed: () => undefined })

export const useToast = (): Toasts => use(ToastContext)

const shownMs = 5_000
let lastId = 0

/** Short messages at the edge of the page that disappear automatically; screen readers announce them. */
export const ToastProvider = ({ children }: { children: ReactNode }) => {
  const [toasts, setToasts] = useState<Toast[]>([])
  const remove = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), [])
  const tell = useMemo<Toasts>(() => {
    const show = (content: Content, ms: number): void => {
      const toast = { id: ++lastId, ...content }
      setToasts((all) => [...all.slice(-2), toast])
      setTimeout(() => remove(toast.id), ms)
    }
    return { done: (words) => show({ words }, shownMs), failed: (error) => show({ error }, shownMs * 2) }
  }, [remove])
  return (
    <ToastContext value={tell}>
      {children}
      <Box className={classes.toasts} role="status" aria-live="polite">
        {toasts.map((toast) => (
          <OneToast key={toast.id} toast={toast} onClose={() => remove(toast.id)} />
        ))}
      </Box>
    </ToastContext>
  )
}

const OneToast = ({ toast, onClose }: { toast: Toast; onClose: () => void }) => {
  const { message, specifics } = useErrorText(toast.error)
  const done = 'words' in toast
  return (
    <Alert
      className={classes.toast}
      color={done ? 'pine' : 'red'}
      icon={<Icon name={done ? 'check' : 'alert'} />}
      withCloseButton
      closeButtonLabel={useText(text).close}
      onClose={onClose}
    >
      {done ? toast.words : [message, specifics].filter(Boolean).join(' ')}
    </Alert>
  )
}
