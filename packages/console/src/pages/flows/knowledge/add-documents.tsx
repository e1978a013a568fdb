import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { fieldProblem } from '#parts/form/use-form.ts'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { DocumentDrop } from './document-drop.tsx'
import { base64Of } from './base64.ts'
import { text } from './text.ts'

/** Files that are dropped or chosen, one after the other, and pages by their address. */
export const AddDocuments = ({ flowId }: { flowId: string }) => {
  const say = useText(text)
  const toast = useToast()
  const [sending, setSending] = useState<string>()
  const [url, setUrl] = useState('')
  const target = { aiFlowId: flowId }
  const addFile = useWrite('addKnowledge', { refreshes: ['listKnowledge'] })
  const addPage = useWrite('addKnowledge', { refreshes: ['listKnowledge'] })
  const sendFiles = async (files: readonly File[]): Promise<void> => {
    try {
      for (const file of files) {
        setSending(file.name)
        await addFile.mutateAsync([target, { name: file.name, base64: base64Of(new Uint8Array(await file.arrayBuffer())) }])
      }
      toast.done(say.adding)
    } catch {
      // It stands below the files.
    } finally {
      setSending(undefined)
    }
  }
  const sendPage = (event: FormEvent): void => {
    event.preventDefault()
    addPage.mutate([target, { url: url.trim() }], {
      onSuccess: () => {
        setUrl('')
        toast.done(say.adding)
      },
    })
  }
  return (
    <Section title={say.add} description={say.addHint}>
      <Stack>
        <DocumentDrop onFiles={(files) => void sendFiles(files)} />
        <div role="status">{sending !== undefined && <Text size="sm">{say.sending(sending)}</Text>}</div>
        <ErrorNotice error={addFile.error} />
        <form onSubmit={sendPage} noValidate>
          <Group align="flex-end" gap="xs">
            <TextInput
              label={say.url}
              description={say.urlHint}
              placeholder="https://example.com/prices"
              maxLength={2000}
              style={{ flex: '1 1 18rem' }}
              value={url}
              onChange={(event) => setUrl(event.currentTarget.value)}
              error={fieldProblem(addPage.error, 'url')}
            />
            <Button type="submit" variant="default" loading={addPage.isPending} disabled={url.trim() === ''}>
              {say.addUrl}
            </Button>
          </Group>
        </form>
        <ErrorNotice error={addPage.error} />
      </Stack>
    </Section>
  )
}
