import { loadFirst, loadKoffi, type Koffi } from '../load-library.ts'

/** Pointer to an object of the library. */
export type Handle = unknown
/** A registered callback. */
type Registered = unknown

/** In the library's layout: integers only. */
export interface TransferStatistics {
  bit_rate: number
  error_correcting_mode: number
  pages_tx: number
  pages_rx: number
  /** Rows and octets of the current page. */
  length: number
  image_size: number
}

/** The used part of libspandsp 0.0.6. A wrong signature crashes the process, so it is only loaded into a disposable one. */
interface Spandsp {
  fax_init(state: null, calling: number): Handle
  fax_free(fax: Handle): number
  fax_get_t30_state(fax: Handle): Handle
  fax_set_transmit_on_idle(fax: Handle, on: number): void
  fax_tx(fax: Handle, samples: Int16Array, count: number): number
  fax_rx(fax: Handle, samples: Int16Array, count: number): number
  fax_rx_fillin(fax: Handle, count: number): number
  t38_terminal_init(state: null, calling: number, send: Registered, user: null): Handle
  t38_terminal_free(terminal: Handle): number
  t38_terminal_get_t30_state(terminal: Handle): Handle
  t38_terminal_get_t38_core_state(terminal: Handle): Handle
  t38_terminal_send_timeout(terminal: Handle, samples: number): number
  t38_set_t38_version(core: Handle, version: number): void
  t38_set_data_rate_management_method(core: Handle, method: number): void
  t38_core_rx_ifp_packet(core: Handle, bytes: Uint8Array, length: number, sequence: number): number
  t30_set_tx_file(t30: Handle, file: string, first: number, last: number): void
  t30_set_rx_file(t30: Handle, file: string, last: number): void
  t30_set_tx_ident(t30: Handle, ident: string): number
  t30_get_rx_ident(t30: Handle): string | null
  t30_set_tx_page_header_info(t30: Handle, header: Uint8Array): number
  t30_set_ecm_capability(t30: Handle, on: number): number
  t30_set_supported_compressions(t30: Handle, bits: number): number
  t30_set_supported_resolutions(t30: Handle, bits: number): number
  t30_set_supported_image_sizes(t30: Handle, bits: number): number
  t30_set_supported_modems(t30: Handle, bits: number): number
  t30_set_phase_d_handler(t30: Handle, handler: Registered, user: null): void
  t30_set_phase_e_handler(t30: Handle, handler: Registered, user: null): void
  t30_set_real_time_frame_handler(t30: Handle, handler: Registered, user: null): void
  t30_get_transfer_statistics(t30: Handle, into: object): void
  t30_terminate(t30: Handle): void
}

const signatures: Record<keyof Spandsp, string> = {
  fax_init: 'void *fax_init(void *, int)',
  fax_free: 'int fax_free(void *)',
  fax_get_t30_state: 'void *fax_get_t30_state(void *)',
  fax_set_transmit_on_idle: 'void fax_set_transmit_on_idle(void *, int)',
  fax_tx: 'int fax_tx(void *, void *, int)',
  fax_rx: 'int fax_rx(void *, void *, int)',
  fax_rx_fillin: 'int fax_rx_fillin(void *, int)',
  t38_terminal_init: 'void *t38_terminal_init(void *, int, SendIfp *, void *)',
  t38_terminal_free: 'int t38_terminal_free(void *)',
  t38_terminal_get_t30_state: 'void *t38_terminal_get_t30_state(void *)',
  t38_terminal_get_t38_core_state: 'void *t38_terminal_get_t38_core_state(void *)',
  t38_terminal_send_timeout: 'int t38_terminal_send_timeout(void *, int)',
  t38_set_t38_version: 'void t38_set_t38_version(void *, int)',
  t38_set_data_rate_management_method: 'void t38_set_data_rate_management_method(void *, int)',
  t38_core_rx_ifp_packet: 'int t38_core_rx_ifp_packet(void *, void *, int, uint16_t)',
  t30_set_tx_file: 'void t30_set_tx_file(void *, const char *, int, int)',
  t30_set_rx_file: 'void t30_set_rx_file(void *, const char *, int)',
  t30_set_tx_ident: 'int t30_set_tx_ident(void *, const char *)',
  t30_get_rx_ident: 'const char *t30_get_rx_ident(void *)',
  t30_set_tx_page_header_info: 'int t30_set_tx_page_header_info(void *, void *)',
  t30_set_ecm_capability: 'int t30_set_ecm_capability(void *, int)',
  t30_set_supported_compressions: 'int t30_set_supported_compressions(void *, int)',
  t30_set_supported_resolutions: 'int t30_set_supported_resolutions(void *, int)',
  t30_set_supported_image_sizes: 'int t30_set_supported_image_sizes(void *, int)',
  t30_set_supported_modems: 'int t30_set_supported_modems(void *, int)',
  t30_set_phase_d_handler: 'void t30_set_phase_d_handler(void *, PhaseD *, void *)',
  t30_set_phase_e_handler: 'void t30_set_phase_e_handler(void *, PhaseE *, void *)',
  t30_set_real_time_frame_handler: 'void t30_set_real_time_frame_handler(void *, FrameSeen *, void *)',
  t30_get_transfer_statistics: 'void t30_get_transfer_statistics(void *, _Out_ TransferStatistics *)',
  t30_terminate: 'void t30_terminate(void *)',
}

const callbacks = {
  PhaseD: 'int PhaseD(void *, void *, int)',
  PhaseE: 'void PhaseE(void *, void *, int)',
  FrameSeen: 'void FrameSeen(void *, void *, int, void *, int)',
  SendIfp: 'int SendIfp(void *, void *, void *, int, int)',
}

/** All of `t30_stats_t`, in its order; `spare` is for fields that other builds of the library append. */
const statistics = [
  'bit_rate',
  'error_correcting_mode',
  'pages_tx',
  'pages_rx',
  'pages_in_file',
  'x_resolution',
  'y_resolution',
  'width',
  'length',
  'image_size',
  'encoding',
  'bad_rows',
  'longest_bad_row_run',
  'error_correcting_mode_retries',
  'current_status',
]

/** macOS package managers install it outside the default search path. */
const libraryNames = [
  'libspandsp.so.2',
  ...['/opt/homebrew/lib/', '/usr/local/lib/', '/opt/local/lib/', ''].map((folder) => `${folder}libspandsp.2.dylib`),
]
const howToInstall =
  process.platform === 'darwin'
    ? 'faxes need libspandsp.2.dylib: brew install spandsp'
    : 'faxes need libspandsp.so.2: apt install libspandsp2'

/** The library with its callbacks and access to its memory. */
export interface SpandspLibrary extends Spandsp {
  /** Valid until `release`. Must not throw. */
  register(kind: keyof typeof callbacks, called: (...args: never[]) => number | void): Registered
  release(registered: Registered): void
  /** A copy of its memory. */
  bytesAt(pointer: unknown, length: number): Buffer
}

/** Undefined when it is installed, otherwise the remedy. Loads it only for the check. */
export const missingSpandsp = (): string | undefined => {
  try {
    loadFirst(loadKoffi(), libraryNames).unload()
    return undefined
  } catch {
    return howToInstall
  }
}

let loaded: SpandspLibrary | undefined

/** Throws if it is not installed. */
export const loadSpandsp = (): SpandspLibrary => (loaded ??= load(loadKoffi()))

const load = (koffi: Koffi): SpandspLibrary => {
  const library = loadFirst(koffi, libraryNames)
  const pointers = Object.fromEntries(Object.entries(callbacks).map(([name, text]) => [name, koffi.pointer(koffi.proto(text))]))
  koffi.struct('TransferStatistics', {
    ...Object.fromEntries(statistics.map((name) => [name, 'int'])),
    spare: koffi.array('int', 16),
  })
  const functions = Object.fromEntries(Object.entries(signatures).map(([name, signature]) => [name, library.func(signature)]))
  return {
    ...(functions as unknown as Spandsp),
    register: (kind, called) => koffi.register(called, pointers[kind] as never),
    release: (registered) => koffi.unregister(registered as never),
    bytesAt: (pointer, length) => Buffer.from(koffi.decode(pointer, koffi.array('uint8_t', length, 'Typed')) as Uint8Array),
  }
}
