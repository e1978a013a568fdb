import { Alert, Button, Group, Stack } from '@mantine/core'
import { Dialog } from '../modal/dialog.tsx'
import { useText } from '#words/use-text.tsx'
import { CopyField } from './copy-field.tsx'
import { Icon } from '../icon/icon.tsx'
import { text } from '../text.ts'

interface SecretModalProps {
  title: string
  /** Undefined: closed. */
  secrets: readonly { label: string; value: string }[] | undefined
  onClose: () => void
}

/** Shows one-time secrets; closes only by its button. */
export const SecretModal = ({ title, secrets, onClose }: SecretModalProps) => {
  const say = useText(text)
  return (
    <Dialog
      opened={secrets !== undefined}
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="yellow" icon={<Icon name="key" />}>
          {say.secretOnce}
        </Alert>
        {secrets?.map(({ label, value }) => (
          <CopyField key={label} label={label} value={value} />
        ))}
        <Group justify="flex-end">
          <Button onClick={onClose}>{say.secretKept}</Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
