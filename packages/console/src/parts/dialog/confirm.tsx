import { Button, Group, Text } from '@mantine/core'
import { Dialog } from '../modal/dialog.tsx'
import { createContext, use, useCallback, useRef, useState, type ReactNode } from 'react'
import { useText } from '#words/use-text.tsx'
import { text } from '../text.ts'

interface Question {
  title: string
  /** Consequences, and whether they can be undone. */
  body: ReactNode
  /** Button label; names the action: "Delete flow". */
  confirm: string
  /** Destructive. Default: true. */
  danger?: boolean
}

type Ask = (question: Question) => Promise<boolean>

const ConfirmContext = createContext<Ask>(() => Promise.resolve(false))

/** `if (await confirm({ title, body, confirm })) …` */
export const useConfirm = (): Ask => use(ConfirmContext)

/** A form in a dialog may ask for confirmation; Mantine's dialogs are at z-index 200, its lists at 300. */
const aboveForms = 250

export const ConfirmProvider = ({ children }: { children: ReactNode }) => {
  const [question, setQuestion] = useState<Question>()
  const [opened, setOpened] = useState(false)
  const answer = useRef<(yes: boolean) => void>(undefined)
  const ask = useCallback<Ask>((asked) => {
    setQuestion(asked)
    setOpened(true)
    return new Promise((resolve) => {
      answer.current = resolve
    })
  }, [])
  const close = (yes: boolean): void => {
    setOpened(false)
    // Delayed: the Escape key would also close the underlying form.
    if (answer.current) setTimeout(answer.current, 0, yes)
  }
  return (
    <ConfirmContext value={ask}>
      {children}
      <Dialog opened={opened} onClose={() => close(false)} title={question?.title} zIndex={aboveForms}>
        {question && <Answers question={question} onAnswer={close} />}
      </Dialog>
    </ConfirmContext>
  )
}

const Answers = ({ question: { body, confirm, danger = true }, onAnswer }: { question: Question; onAnswer: (yes: boolean) => void }) => (
  <>
    <Text size="sm" component="div">
      {body}
    </Text>
    <Group justify="flex-end" mt="lg" gap="xs">
      <Button variant="default" onClick={() => onAnswer(false)} data-autofocus>
        {useText(text).cancel}
      </Button>
      <Button {...(danger && { color: 'red.8' })} onClick={() => onAnswer(true)}>
        {confirm}
      </Button>
    </Group>
  </>
)
