import { Group, Tabs, FileInput, Select, Switch, Alert, List, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { useMay } from '#api/use-may.ts'
import { AddButton } from '#parts/page/add-button.tsx'
import { Page } from '#parts/page/page.tsx'
import { Section } from '#parts/page/section.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { useText } from '#words/use-text.tsx'
import { AddressBook } from './address-book.tsx'
import { Colleagues } from './colleagues.tsx'
import { ContactForm } from './contact-form.tsx'
import { Duplicates } from './duplicates.tsx'
import { text } from './text.ts'
import { api } from '#api/client.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { saveFile } from '#parts/list/list-bar.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { type OutputOf, useWrite, type InputOf } from '#api/use-service.ts'

type Dialog = 'add' | 'import' | 'duplicates'

export const ContactsPage = () => {
  const say = useText(text)
  const mayChange = useMay()('CAN_CHANGE_CONTACTS')
  const [dialog, setDialog] = useState<Dialog>()
  const close = (): void => setDialog(undefined)
  return (
    <Page title={say.title} description={say.lead} actions={<Actions mayChange={mayChange} onOpen={setDialog} />}>
      <Tabs defaultValue="own" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="own">{say.own}</Tabs.Tab>
          <Tabs.Tab value="colleagues">{say.colleagues}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="own">
          <Section flush>
            <AddressBook mayChange={mayChange} />
          </Section>
        </Tabs.Panel>
        <Tabs.Panel value="colleagues">
          <Section flush>
            <Colleagues />
          </Section>
        </Tabs.Panel>
      </Tabs>
      {dialog === 'add' && <ContactForm onClose={close} />}
      {dialog === 'import' && <ImportForm onClose={close} />}
      {dialog === 'duplicates' && <Duplicates onClose={close} />}
      {mayChange && <NumberToKeep />}
    </Page>
  )
}

const Actions = ({ mayChange, onOpen }: { mayChange: boolean; onOpen: (dialog: Dialog) => void }) => {
  const say = useText(text)
  const save = useExport()
  const changes = [
    { label: say.import, icon: 'upload', onClick: () => onOpen('import') },
    { label: say.duplicates, icon: 'copy', onClick: () => onOpen('duplicates') },
  ] as const
  return (
    <Group gap="xs" wrap="nowrap">
      {mayChange && <AddButton onClick={() => onOpen('add')}>{say.add}</AddButton>}
      <RowMenu
        label={say.more}
        actions={[
          ...(mayChange ? changes : []),
          { label: say.exportVcard, icon: 'download', onClick: () => save('vcard') },
          { label: say.exportCsv, icon: 'download', onClick: () => save('csv') },
        ]}
      />
    </Group>
  )
}

/** Opens the form for an unknown number (`/contacts?number=…`), so that only the name is missing. */
const NumberToKeep = () => {
  const [params, setParams] = useSearchParams()
  const number = params.get('number')
  const forget = (): void =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before)
        after.delete('number')
        return after
      },
      { replace: true },
    )
  return number === null ? null : <ContactForm key={number} number={number} onClose={forget} />
}

const files = {
  vcard: { name: 'contacts.vcf', type: 'text/vcard;charset=utf-8' },
  csv: { name: 'contacts.csv', type: 'text/csv;charset=utf-8' },
} as const

/** Exports all contacts as a file. */
export const useExport = () => {
  const toast = useToast()
  return (format: keyof typeof files): void => {
    const { name, type } = files[format]
    api.exportContacts({ format }).then(
      // Reading a text strips the byte order mark by which spreadsheets recognize UTF-8.
      (content) => saveFile(name, new Blob([format === 'csv' ? '\uFEFF' : '', content.replace(/^\uFEFF/, '')], { type })),
      (error: unknown) => toast.failed(error),
    )
  }
}

const ways = ['MERGE', 'SKIP', 'REPLACE'] as const

/** Import from a file: shows a preview before any change. */
export const ImportForm = ({ onClose }: { onClose: () => void }) => {
  const say = useText(text)
  const { wish: input, tooLarge, change, take, submit, trial, run, isReady } = useImport(onClose)
  return (
    <FormModal
      opened
      size="lg"
      title={say.import}
      submit={say.importNow}
      disabled={!isReady}
      onClose={onClose}
      onSubmit={submit}
      pending={run.isPending}
      error={run.error ?? trial.error}
    >
      <FileInput
        label={say.file}
        description={say.fileHint}
        placeholder={say.chooseFile}
        accept=".vcf,.csv,text/vcard,text/csv"
        leftSection={<Icon name="upload" size={16} />}
        onChange={(file) => void take(file)}
        error={tooLarge ? say.tooLarge : undefined}
      />
      <Select
        label={say.known}
        data={ways.map((value) => ({ value, label: say.ways[value] }))}
        allowDeselect={false}
        value={input.duplicates ?? 'MERGE'}
        onChange={(value) => change({ duplicates: ways.find((way) => way === value) ?? 'MERGE' })}
      />
      <Switch
        label={say.shared}
        description={say.importSharedHint}
        checked={input.shared ?? false}
        onChange={({ currentTarget }) => change({ shared: currentTarget.checked })}
      />
      {trial.data && <ImportPreview outcome={trial.data} />}
    </FormModal>
  )
}

const maxProblems = 5

/** Preview of an import. */
export const ImportPreview = ({ outcome }: { outcome: OutputOf<'importContacts'> }) => {
  const say = useText(text)
  const { created, merged, skipped, problems, preview = [] } = outcome
  return (
    <Stack gap="sm">
      <Text role="status" fw={550}>
        {say.outcome(created, merged, skipped)}
      </Text>
      {problems.length > 0 && (
        <Alert color="yellow" title={say.problems(problems.length)}>
          <List size="sm">
            {problems.slice(0, maxProblems).map(({ line, message }, at) => (
              <List.Item key={at}>{say.inLine(line, message)}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Table.ScrollContainer minWidth={300} mah={260} scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': say.preview } }}>
        <Table aria-label={say.preview}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{say.name}</Table.Th>
              <Table.Th>{say.numbers}</Table.Th>
              <Table.Th>{say.what}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {preview.map(({ name, numbers, action }, at) => (
              <Table.Tr key={at}>
                <Table.Td>{name}</Table.Td>
                <Table.Td>{numbers.join(', ')}</Table.Td>
                <Table.Td>{say.actions[action]}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  )
}

export type ImportInput = InputOf<'importContacts'>[1]

const maxBytes = 5 * 1024 * 1024

/** Runs a trial import on every change, and the real one on request. */
export const useImport = (onDone: () => void) => {
  const say = useText(text)
  const toast = useToast()
  const [input, setWish] = useState<Partial<ImportInput>>({ duplicates: 'MERGE', shared: false })
  const [tooLarge, setTooLarge] = useState(false)
  const trial = useWrite('importContacts')
  const run = useWrite('importContacts', {
    refreshes: ['listContacts', 'listDuplicateContacts', 'listHistory'],
    onDone: ({ created, merged }) => {
      toast.done(say.imported(created, merged))
      onDone()
    },
  })
  const change = (changes: Partial<ImportInput>): void => {
    const next = { ...input, ...changes }
    setWish(next)
    if (isWhole(next)) trial.mutate([{}, { ...next, dryRun: true }])
  }
  const take = async (file: File | null): Promise<void> => {
    trial.reset()
    setTooLarge(file !== null && file.size > maxBytes)
    if (file && file.size <= maxBytes) change({ format: formatOf(file), base64Content: await contentOf(file) })
    else setWish(({ duplicates = 'MERGE', shared = false }) => ({ duplicates, shared }))
  }
  const submit = (): void => {
    if (isWhole(input)) run.mutate([{}, input])
  }
  return { wish: input, tooLarge, change, take, submit, trial, run, isReady: isWhole(input) && trial.isSuccess }
}

const isWhole = (input: Partial<ImportInput>): input is ImportInput => input.format !== undefined && input.base64Content !== undefined

const formatOf = ({ name, type }: File): ImportInput['format'] => (/\.vcf$/i.test(name) || type === 'text/vcard' ? 'VCARD' : 'CSV')

const contentOf = async (file: File): Promise<string> => {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  for (let at = 0; at < bytes.length; at += 32_768) binary += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  return btoa(binary)
}
