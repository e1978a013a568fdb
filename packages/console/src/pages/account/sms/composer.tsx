import { Alert, Button, Group, Select, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useState, type FormEvent, type ReactNode } from 'react'
import { useMe } from '#api/use-me.ts'
import { useRead, useWrite } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useToast } from '#parts/dialog/toast.tsx'
import { useForm, type Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import classes from './messages.module.css'
import { text } from './text.ts'
import { smsParts } from './sms-parts.ts'

/** Ten message parts; the service accepts no more. */
const maxLength = 1530

const nothing = { recipient: '', message: '', smsId: null as string | null, later: false, sendAt: '' }

type Values = typeof nothing

/** Form to write to a number. `onSent`: opens the conversation. */
export const Composer = ({ number, onSent }: { number: string | undefined; onSent: (number: string) => void }) => {
  const say = useText(text)
  const toast = useToast()
  const lines = useOwnLines()
  const [late, setLate] = useState(false)
  const send = useWrite('sendSms', {
    refreshes: ['listOwnHistory'],
    onDone: (_, [, { sendAt, recipient: to }]) => {
      toast.done(sendAt === undefined ? say.sent : say.scheduledDone)
      form.reset(nothing)
      if (number === undefined) onSent(to)
    },
  })
  const form = useForm(nothing, send.error)
  const { recipient, message, later, sendAt } = form.values
  const smsId = form.values.smsId ?? lines?.[0]?.id ?? ''
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const at = later ? Math.floor(Date.parse(sendAt) / 1000) : undefined
    setLate(Number.isNaN(at))
    if (!Number.isNaN(at)) send.mutate([{}, { smsId, recipient: number ?? recipient, message, ...(at !== undefined && { sendAt: at }) }])
  }
  const lacksSender = useLacksSender(smsId)
  const ready = smsId !== '' && message !== '' && (number !== undefined || recipient !== '')
  return (
    <form className={classes.composer} onSubmit={submit} noValidate>
      <Stack gap="sm">
        {lines?.length === 0 && <Alert color="yellow">{say.noLine}</Alert>}
        {lacksSender && (
          <Alert color="yellow" role="status">
            {say.noSender}
          </Alert>
        )}
        {number === undefined && (
          <TextInput label={say.recipient} placeholder="+49 151 1234567" type="tel" required maxLength={64} {...form.text('recipient')} />
        )}
        {lines && lines.length > 1 && (
          <Select
            label={say.line}
            allowDeselect={false}
            data={lines.map(({ id, alias }) => ({ value: id, label: alias }))}
            {...form.value('smsId')}
            value={smsId}
          />
        )}
        <MessageField form={form} />
        <Group justify="space-between" align="flex-start">
          <Later form={form} problem={late ? say.needsTime : undefined} />
          <Button type="submit" leftSection={<Icon name="send" size={16} />} loading={send.isPending} disabled={!ready}>
            {later ? say.schedule : say.send}
          </Button>
        </Group>
        <ErrorNotice error={send.error} />
      </Stack>
    </form>
  )
}

const useOwnLines = () => {
  const userId = useMe()?.id
  return useRead('listSms', { userId: userId ?? '' }, { when: userId !== undefined }).data?.items
}

/** The service rejects messages without a sender: say so before writing. */
const useLacksSender = (smsId: string): boolean => {
  const userId = useMe()?.id ?? ''
  const when = smsId !== '' && userId !== ''
  const callerIds = useRead('listSmsCallerIds', { userId, smsId }, { when }).data?.items
  const numbers = useRead('listUserNumbers', { userId }, { when }).data?.items
  if (!callerIds || !numbers) return false
  return !callerIds.some(({ verified }) => verified) && !numbers.some(({ type, state }) => type === 'MOBILE' && state === 'ACTIVE')
}

const MessageField = ({ form }: { form: Form<Values> }) => {
  const say = useText(text)
  const { parts, left, wide } = smsParts(form.values.message)
  return (
    <div>
      <Textarea label={say.message} autosize minRows={2} maxRows={8} maxLength={maxLength} required {...form.text('message')} />
      <Text size="xs" c="dimmed" mt={4} role="status">
        {say.count(parts, left)}. {parts > 1 && say.priced} {wide && say.wide}
      </Text>
    </div>
  )
}

const Later = ({ form, problem }: { form: Form<Values>; problem: ReactNode }) => {
  const say = useText(text)
  const sendAt = form.text('sendAt')
  return (
    <Stack gap="xs">
      <Switch label={say.later} {...form.tick('later')} />
      {form.values.later && (
        <TextInput
          type="datetime-local"
          label={say.sendAt}
          description={say.sendAtHint}
          required
          {...sendAt}
          error={problem ?? sendAt.error}
        />
      )}
    </Stack>
  )
}
