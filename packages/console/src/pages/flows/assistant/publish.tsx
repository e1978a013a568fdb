import { Button, Switch, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

/** Makes a version of what is written, after saving it. */
export const Publish = ({ flowId, saveFirst }: { flowId: string; saveFirst: () => Promise<boolean> }) => {
  const [opened, setOpened] = useState(false)
  const say = useText(text)
  const open = async (): Promise<void> => {
    if (await saveFirst()) setOpened(true)
  }
  return (
    <>
      <Button leftSection={<Icon name="upload" size={16} />} onClick={() => void open()}>
        {say.publish}
      </Button>
      {opened && <PublishForm flowId={flowId} onClose={() => setOpened(false)} />}
    </>
  )
}

const PublishForm = ({ flowId, onClose }: { flowId: string; onClose: () => void }) => {
  const say = useText(text)
  const toast = useToast()
  const publish = useWrite('publishAssistant', {
    refreshes: ['getAssistant', 'listAssistantVersions', 'getRollout', 'getFlow', 'listFlows'],
    onDone: ({ version }) => {
      toast.done(say.published(version))
      onClose()
    },
  })
  const form = useForm({ note: '', stable: true }, publish.error)
  const { note, stable } = form.values
  return (
    <FormModal
      opened
      title={say.publishTitle}
      submit={say.publish}
      onClose={onClose}
      onSubmit={() => publish.mutate([{ aiFlowId: flowId }, { stable, ...(note.trim() !== '' && { note: note.trim() }) }])}
      pending={publish.isPending}
      error={publish.error}
    >
      <Text size="sm">{say.publishBody}</Text>
      <TextInput label={say.note} description={say.noteHint} maxLength={500} data-autofocus {...form.text('note')} />
      <Switch label={say.stable} {...form.tick('stable')} />
    </FormModal>
  )
}
