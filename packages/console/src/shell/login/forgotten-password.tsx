import { Alert, Anchor, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { text } from '../text.ts'

/** Asks for a mail with a link. The answer is the same whether the person exists or not. */
export const ForgottenPassword = () => {
  const say = useText(text)
  const [opened, setOpened] = useState(false)
  const [sent, setSent] = useState(false)
  return (
    <>
      <Anchor component="button" type="button" size="sm" onClick={() => setOpened(true)}>
        {say.forgot}
      </Anchor>
      {sent && <Alert icon={<Icon name="mail" />}>{say.resetSent}</Alert>}
      {opened && <ResetForm onClose={() => setOpened(false)} onSent={() => setSent(true)} />}
    </>
  )
}

const ResetForm = ({ onClose, onSent }: { onClose: () => void; onSent: () => void }) => {
  const say = useText(text)
  const request = useWrite('requestPasswordReset', {
    onDone: () => {
      onSent()
      onClose()
    },
  })
  const form = useForm({ username: '' }, request.error)
  return (
    <FormModal
      opened
      title={say.forgot}
      submit={say.sendLink}
      onClose={onClose}
      onSubmit={() => request.mutate([{}, form.values])}
      pending={request.isPending}
      error={request.error}
    >
      <TextInput
        label={say.email}
        description={say.resetHint}
        type="email"
        autoComplete="username"
        data-autofocus
        {...form.text('username')}
      />
    </FormModal>
  )
}
