import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'
import { freePorts } from '../machine/free-ports.ts'
import { listening, startPeer } from '../machine/peer-process.ts'

export interface Proxy {
  readonly port: number
  /** host:port */
  readonly address: string
  log(): string
}

export interface DispatcherOptions {
  /** Address on loopback; default 127.0.0.1. */
  host?: string
  /** host:port of the servers behind it, used round-robin. */
  destinations: readonly string[]
  /** Control port of an rtpengine that relays all audio. */
  rtpengine?: number
}

/** Kamailio in front of several services: distributes new calls round-robin, and fails over when one does not answer in time. */
export const startDispatcher = async (t: Scope, options: DispatcherOptions): Promise<Proxy> => {
  const folder = await temporaryFolder(t)
  const port = await freePorts(t, 2)
  const address = `${options.host ?? '127.0.0.1'}:${port}`
  await writeFile(join(folder, 'destinations'), options.destinations.map((one) => `1 sip:${one} 0 0\n`).join(''))
  return start(t, folder, address, dispatcher(address, join(folder, 'destinations'), options.rtpengine))
}

export interface RegistrarOptions {
  /** Address on loopback. */
  host: string
  user: string
  password: string
  realm: string
}

/** Kamailio as a carrier with registration by name and password; passes calls for the registered user on. */
export const startRegistrar = async (t: Scope, options: RegistrarOptions): Promise<Proxy> => {
  const folder = await temporaryFolder(t)
  const port = await freePorts(t, 2)
  return start(t, folder, `${options.host}:${port}`, registrar(port, options))
}

export interface EdgeOptions {
  /** Address on loopback. */
  host: string
  /** host:port of the service behind it. */
  service: string
}

/** Kamailio in front of one service: phones register, call and are called through it (Path). */
export const startEdge = async (t: Scope, options: EdgeOptions): Promise<Proxy> => {
  const folder = await temporaryFolder(t)
  const address = `${options.host}:${await freePorts(t, 2)}`
  return start(t, folder, address, edge(address, options.service))
}

const start = async (t: Scope, folder: string, address: string, configuration: string): Promise<Proxy> => {
  const port = Number(address.split(':')[1])
  const file = join(folder, 'kamailio.cfg')
  await writeFile(file, configuration)
  const peer = startPeer(t, 'kamailio', ['-f', file, '-DD', '-E', '-Y', folder, '-P', join(folder, 'pid'), '-m', '32', '-M', '4'], folder)
  await listening(peer, 'udp', port)
  await listening(peer, 'tcp', port)
  return { port, address, log: peer.output }
}

const modules = (...names: string[]): string => names.map((name) => `loadmodule "${name}.so"\n`).join('')

/** `answerMs`: milliseconds without a response after which a server counts as down. */
const general = (address: string, answerMs: number): string => `#!KAMAILIO
debug=2
log_stderror=yes
children=2
tcp_children=2
auto_aliases=no
listen=udp:${address}
listen=tcp:${address}
${modules('kex', 'corex', 'tm', 'tmx', 'sl', 'rr', 'pv', 'maxfwd', 'textops', 'siputils', 'xlog')}
modparam("tm", "fr_timer", ${answerMs})
modparam("tm", "fr_inv_timer", 60000)
modparam("rr", "enable_full_lr", 1)
`

const dispatcher = (address: string, list: string, rtpengine: number | undefined): string => `${general(address, 3_000)}
${modules('dispatcher', ...(rtpengine === undefined ? [] : ['rtpengine']))}
modparam("dispatcher", "list_file", "${list}")
modparam("dispatcher", "flags", 2)
modparam("dispatcher", "xavp_dst", "_dsdst_")
${rtpengine === undefined ? '' : `modparam("rtpengine", "rtpengine_sock", "udp:127.0.0.1:${rtpengine}")`}

request_route {
	if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
	force_rport();
	if (has_totag()) { route(WITHIN); exit; }
	if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
	t_check_trans();
	if (!is_method("INVITE")) { sl_send_reply("405", "Method Not Allowed"); exit; }
	record_route();
	if (!ds_select_dst("1", "4")) { sl_send_reply("503", "Nobody there"); exit; }
	route(AUDIO);
	t_on_reply("AUDIO");
	t_on_failure("NEXT");
	t_relay();
}
route[WITHIN] {
	if (loose_route()) {
		route(AUDIO);
		t_on_reply("AUDIO");
		t_relay();
		exit;
	}
	if (is_method("ACK") && t_check_trans()) { t_relay(); exit; }
	if (!is_method("ACK")) sl_send_reply("404", "Not Here");
}
route[AUDIO] {
	${audio(rtpengine)}
}
onreply_route[AUDIO] {
	route(AUDIO);
}
failure_route[NEXT] {
	if (t_is_canceled()) exit;
	if (t_check_status("408|5[0-9][0-9]") && ds_next_dst()) {
		t_on_reply("AUDIO");
		t_on_failure("NEXT");
		t_relay();
	}
}
`

/** Phones are reached at the source address of their messages, kept in their Contact (`alias`). */
const edge = (address: string, service: string): string => `${general(address, 30_000)}
${modules('path', 'nathelper')}

request_route {
	if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
	force_rport();
	if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
	if (!has_totag()) t_check_trans();
	if (is_method("INVITE")) record_route();
	loose_route();
	if ($sp == ${service.split(':')[1]}) {
		handle_ruri_alias();
	} else {
		set_contact_alias();
		if (is_method("REGISTER")) add_path();
		if (!has_totag()) $du = "sip:${service}";
	}
	t_on_reply("SEEN");
	t_relay();
}
onreply_route[SEEN] {
	if ($sp != ${service.split(':')[1]}) set_contact_alias();
}
`

const audio = (rtpengine: number | undefined): string =>
  rtpengine === undefined
    ? 'return;'
    : 'if (is_method("BYE") || has_body("application/sdp")) rtpengine_manage("replace-origin replace-session-connection");'

const registrar = (port: number, { host, user, password, realm }: RegistrarOptions): string => `${general(`${host}:${port}`, 30_000)}
${modules('usrloc', 'registrar', 'auth')}
modparam("usrloc", "db_mode", 0)
modparam("registrar", "min_expires", 10)

request_route {
	if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
	force_rport();
	if (has_totag()) { if (loose_route()) t_relay(); exit; }
	if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
	t_check_trans();
	if (is_method("REGISTER")) {
		$var(password) = "${password}";
		if ($fU != "${user}" || !pv_www_authenticate("${realm}", "$var(password)", "0")) { www_challenge("${realm}", "1"); exit; }
		xlog("L_NOTICE", "registered $fU at $ct\\n");
		save("location");
		exit;
	}
	record_route();
	$var(called) = $rU;
	$ru = "sip:${user}@${host}:${port}";
	if (!lookup("location")) { sl_send_reply("404", "Not Found"); exit; }
	append_hf("P-Called-Party-ID: <sip:$var(called)@${host}>\r\n");
	t_relay();
}
`
