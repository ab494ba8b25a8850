import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../src/support/package-root.js';

/** Where a program listens, and what its configuration names: `@PORT@`, `@UPSTREAM@`, `@FOLDER@`, `@PEM@`. */
export interface Place {
  readonly port: number;
  /** Host and port of the deployment. */
  readonly upstream: string;
  /** An empty folder of its own. */
  readonly folder: string;
  /** A file with the certificate for 127.0.0.1 and its key. */
  readonly pem: string;
}

/** One configuration of a program, and how a run through it ends. */
export interface Variant {
  readonly config: string;
  readonly verdict: 'conforms' | 'incomplete' | 'does-not-conform';
  /** What the first cause says, or else the reason; nothing if the deployment conforms. */
  readonly cause: RegExp;
  readonly isTls?: boolean;
  /** How often the deployment is certified; the last run counts. */
  readonly runs?: number;
  /** A file that is needed beside the program. */
  readonly needs?: string;
}

/** Ordinary software before a deployment, or a small deployment on a server that reads requests strictly. */
export interface Software {
  readonly name: string;
  /** The Debian packages. */
  readonly packages: string;
  readonly program: string;
  readonly args: (config: string, place: Place) => readonly string[];
  /** How the name of a configuration ends. */
  readonly extension?: string;
  readonly variants: Readonly<Record<string, Variant>>;
}

type More = Pick<Variant, 'isTls' | 'runs' | 'needs'>;

const conforms = (config: string, more: More = {}): Variant => ({ config, verdict: 'conforms', cause: /^$/, ...more });
const incomplete = (config: string, cause: RegExp, more: More = {}): Variant => {
  return { config, verdict: 'incomplete', cause, ...more };
};
/** What breaks the contract: another result than the documented one arrives. */
const fails = (config: string, cause: RegExp, more: More = {}): Variant => {
  return { config, verdict: 'does-not-conform', cause, ...more };
};
const tls: More = { isTls: true };

const tooLongBody = /413: the request is too long .* \d+ of body/;
const tooLongUrl = /414: the request is too long .*: \d+ bytes of path and query/;
const tooLongHead = /431: the request is too long .* \d+ of headers/;
const lostBody = /The body of the request is not read/;
const refusedBody = /refuses a body on GET/;
const ignoredBody = /a cache that ignores the body of GET/;

/** The OWASP Core Rule Set as it is installed, with the setting that reads JSON. It refuses any body on GET. */
const coreRules = `SecRuleEngine On
SecRequestBodyAccess On
SecRule REQUEST_HEADERS:Content-Type "^application/json" "id:200001,phase:1,t:none,pass,nolog,ctl:requestBodyProcessor=JSON"
Include /etc/modsecurity/crs/crs-setup.conf
Include /usr/share/modsecurity-crs/rules/*.conf`;

const nginx = (server: string, http = '', main = '') => `${main}
daemon off; pid @FOLDER@/pid; error_log @FOLDER@/error.log;
events {}
http {
  access_log off; ${http}
  server { ${server.includes('listen') ? '' : 'listen 127.0.0.1:@PORT@;'} ${server} location / { proxy_pass http://@UPSTREAM@; } }
}`;
const limited = 'limit_req_zone $binary_remote_addr zone=limit:1m rate=10r/s;';
const cached = 'proxy_cache_path @FOLDER@/cache keys_zone=cache:1m;';
const nginxSecurity = '/usr/lib/nginx/modules/ngx_http_modsecurity_module.so';

const apache = (more: string, modules = '') => {
  const loaded = `mpm_event authz_core proxy proxy_http ${modules}`.trim().split(' ');
  return `${loaded.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
ServerName 127.0.0.1
Listen 127.0.0.1:@PORT@
DefaultRuntimeDir @FOLDER@
PidFile @FOLDER@/pid
ErrorLog @FOLDER@/error.log
ProxyPass / http://@UPSTREAM@/
${more}
`;
};
const apacheCache = `CacheRoot @FOLDER@/
CacheEnable disk /
CacheIgnoreNoLastMod On
CacheDefaultExpire 600`;

const haproxy = (front: string, more = '') => `defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend front
  bind 127.0.0.1:@PORT@
  ${front}
  default_backend back
backend back
  http-request set-header Host @UPSTREAM@
  server deployment @UPSTREAM@
${more}
`;
const haproxyLimit = `stick-table type ip size 1k expire 10s store http_req_rate(1s)
  http-request track-sc0 src
  http-request deny deny_status 429 if { sc_http_req_rate(0) gt 10 }`;

/** It keeps only what states its freshness. */
const haproxyCache = `http-request cache-use c
  http-response set-header Cache-Control max-age=600
  http-response cache-store c`;

const caddy = (more: string) => `{
 admin off
 auto_https disable_redirects
}
http://127.0.0.1:@PORT@ {
 ${more}
 reverse_proxy @UPSTREAM@ {
  header_up Host {upstream_hostport}
 }
}
`;

const varnish = (receive = '', fetch = '') => `vcl 4.1;
import std;
backend deployment { .host = "127.0.0.1"; .port = "@UPSTREAM_PORT@"; }
sub vcl_recv { ${receive} }
sub vcl_backend_fetch { set bereq.http.Host = "@UPSTREAM@"; ${fetch} }
`;

const squid = (more = '') => `http_port 127.0.0.1:@PORT@ accel no-vhost defaultsite=127.0.0.1 vport=@UPSTREAM_PORT@
cache_peer 127.0.0.1 parent @UPSTREAM_PORT@ 0 no-query originserver
http_access allow all
shutdown_lifetime 0 seconds
pid_filename @FOLDER@/pid
access_log none
cache_log @FOLDER@/cache.log
coredump_dir @FOLDER@
visible_hostname proxy.test
memory_cache_shared off
${more}
`;

const lighttpd = (more: string) => `server.modules = ("mod_proxy")
server.bind = "127.0.0.1"
server.port = @PORT@
server.document-root = "@FOLDER@"
server.errorlog = "@FOLDER@/error.log"
proxy.server = ("" => (("host" => "127.0.0.1", "port" => @UPSTREAM_PORT@)))
proxy.header = ("map-host-request" => ("-" => "@UPSTREAM@"))
${more}
`;
const readingBodies = 'server.http-parseopts = ("method-get-body" => "enable")';

/** Reads the program of a small deployment: it forwards what its server has read, in another spelling. */
const server = (file: string) => readFileSync(path.join(packageRoot, 'tools', 'proxies', 'servers', file), 'utf8');
const servlet = (packageName: string, start: string) =>
  server('Server.java').replaceAll('@SERVLET@', packageName).replace('@START@', start);
const java = (...jars: readonly string[]) => ({
  program: '/usr/bin/java',
  args: (config: string) => [
    '-cp',
    jars.map((name) => `/usr/share/java/${name}.jar`).join(':'),
    '--source',
    '17',
    config,
  ],
});
const tomcat = `var tomcat = new org.apache.catalina.startup.Tomcat(); tomcat.setBaseDir("@FOLDER@"); tomcat.setPort(@PORT@);
    tomcat.getConnector().setProperty("address", "127.0.0.1"); var context = tomcat.addContext("", "@FOLDER@");
    tomcat.addServlet("", "server", new Server()); context.addServletMappingDecoded("/*", "server"); tomcat.start();`;
const jetty = `var jetty = new org.eclipse.jetty.server.Server(new java.net.InetSocketAddress("127.0.0.1", @PORT@));
    var handler = new org.eclipse.jetty.servlet.ServletHandler(); jetty.setHandler(handler);
    handler.addServletWithMapping(new org.eclipse.jetty.servlet.ServletHolder(new Server()), "/*"); jetty.start();`;
const python = (library: string): Omit<Software, 'name' | 'packages'> => ({
  program: '/usr/bin/python3',
  args: (config) => [config, library],
  variants: { plain: conforms(server('server.py'), { needs: `/usr/lib/python3/dist-packages/${library}` }) },
});

export const software: readonly Software[] = [
  {
    name: 'nginx',
    packages: 'nginx-light libnginx-mod-http-modsecurity modsecurity-crs',
    program: '/usr/sbin/nginx',
    args: (config, { folder }) => ['-c', config, '-p', folder],
    variants: {
      plain: conforms(nginx('')),
      TLS: conforms(nginx('listen 127.0.0.1:@PORT@ ssl; ssl_certificate @PEM@; ssl_certificate_key @PEM@;'), tls),
      'body limit of 1 KB': incomplete(nginx('client_max_body_size 1k;'), tooLongBody),
      'header buffers of 512 bytes': incomplete(
        nginx('client_header_buffer_size 256; large_client_header_buffers 2 512;'),
        tooLongUrl,
      ),
      'ten per second, 429': conforms(nginx('limit_req zone=limit; limit_req_status 429;', limited)),
      'ten per second, 503': conforms(nginx('limit_req zone=limit;', limited)),
      compression: conforms(nginx('gzip on; gzip_proxied any; gzip_types application/json; gzip_min_length 1;')),
      mod_security: incomplete(
        nginx(`modsecurity on; modsecurity_rules '${coreRules}';`, '', `load_module ${nginxSecurity};`),
        refusedBody,
        { needs: nginxSecurity },
      ),
      'cache by URL, cold': fails(nginx('proxy_cache cache; proxy_cache_valid any 10m;', cached), ignoredBody),
      'cache by URL, warm': fails(nginx('proxy_cache cache; proxy_cache_valid any 10m;', cached), ignoredBody, {
        runs: 2,
      }),
      'drops bodies': fails(nginx('proxy_pass_request_body off; proxy_set_header Content-Length "";'), lostBody),
      'refuses bodies with 411': incomplete(nginx('if ($http_content_length) { return 411; }'), refusedBody),
    },
  },
  {
    name: 'Apache httpd',
    packages: 'apache2',
    program: '/usr/sbin/apache2',
    args: (config) => ['-f', config, '-DFOREGROUND'],
    variants: {
      plain: conforms(apache('')),
      'body limit of 1 KB': conforms(apache('LimitRequestBody 1024')),
      'request line of 512 bytes': incomplete(apache('LimitRequestLine 512'), tooLongUrl),
      'cache by URL, cold': fails(apache(apacheCache, 'cache cache_disk'), ignoredBody),
    },
  },
  {
    name: 'HAProxy',
    packages: 'haproxy',
    program: '/usr/sbin/haproxy',
    args: (config) => ['-db', '-f', config],
    variants: {
      plain: conforms(haproxy('')),
      'body limit of 1 KB': incomplete(
        haproxy('http-request deny deny_status 413 if { req.body_size gt 1024 }'),
        tooLongBody,
      ),
      'ten per second, 429': conforms(haproxy(haproxyLimit)),
      'cache by URL, cold': fails(
        haproxy(haproxyCache, 'cache c\n  total-max-size 16\n  max-object-size 1000000\n  max-age 600'),
        ignoredBody,
      ),
    },
  },
  {
    name: 'Caddy',
    packages: 'caddy',
    program: '/usr/bin/caddy',
    args: (config) => ['run', '--config', config, '--adapter', 'caddyfile'],
    variants: {
      plain: conforms(caddy('')),
      // Caddy 2.6 answers 502 to a body that is too long.
      'body limit of 1 KB': incomplete(caddy('request_body {\n max_size 1KB\n }'), /Answered 502/),
    },
  },
  {
    name: 'Varnish',
    packages: 'varnish',
    program: '/usr/sbin/varnishd',
    args: (config, { port, folder }) => {
      return ['-F', '-f', config, '-a', `127.0.0.1:${port}`, '-n', folder, '-s', 'malloc,32m'];
    },
    variants: {
      plain: fails(varnish(), lostBody),
      'forwards bodies': conforms(varnish('return (pass);', 'return (fetch);')),
      'only passes': fails(varnish('return (pass);'), lostBody),
      'cache by URL, cold': fails(varnish('std.cache_req_body(1MB); return (hash);', 'return (fetch);'), ignoredBody),
    },
  },
  {
    name: 'Squid',
    packages: 'squid',
    program: '/usr/sbin/squid',
    args: (config, { port }) => ['-n', `s${port}`, '-N', '-f', config],
    variants: {
      plain: incomplete(squid(), refusedBody),
      'forwards bodies': conforms(squid('request_entities on')),
      'body limit of 1 KB': incomplete(squid('request_entities on\nrequest_body_max_size 1 KB'), tooLongBody),
      'cache by URL, cold': fails(
        squid('request_entities on\nrefresh_pattern . 10 100% 10 override-expire'),
        ignoredBody,
      ),
    },
  },
  {
    name: 'lighttpd',
    packages: 'lighttpd',
    program: '/usr/sbin/lighttpd',
    args: (config) => ['-D', '-f', config],
    variants: {
      plain: incomplete(lighttpd(''), refusedBody),
      'bodies on GET': conforms(lighttpd(readingBodies)),
      'body limit of 1 KB': incomplete(lighttpd(`${readingBodies}\nserver.max-request-size = 1`), tooLongBody),
      'head of 1 KB': incomplete(lighttpd(`${readingBodies}\nserver.max-request-field-size = 1024`), tooLongHead),
    },
  },
  {
    name: 'Tomcat',
    packages: 'libtomcat10-embed-java default-jdk-headless',
    ...java('tomcat10-embed-core', 'tomcat10-servlet-api', 'tomcat10-annotations-api'),
    variants: {
      plain: conforms(servlet('jakarta.servlet', tomcat), { needs: '/usr/share/java/tomcat10-embed-core.jar' }),
    },
  },
  {
    name: 'Jetty',
    packages: 'libjetty9-java libservlet-api-java default-jdk-headless',
    ...java(...['server', 'servlet', 'http', 'io', 'util', 'security'].map((name) => `jetty9-${name}`), 'servlet-api'),
    variants: { plain: conforms(servlet('javax.servlet', jetty), { needs: '/usr/share/java/jetty9-server.jar' }) },
  },
  {
    name: 'Rack',
    packages: 'ruby-rack puma',
    program: '/usr/bin/puma',
    extension: '.ru',
    args: (config, { port }) => ['-b', `tcp://127.0.0.1:${port}`, config],
    variants: { plain: conforms(server('config.ru')) },
  },
  { name: 'Werkzeug', packages: 'python3-werkzeug', ...python('werkzeug') },
  { name: 'ASGI', packages: 'python3-uvicorn', ...python('uvicorn') },
  {
    name: 'Go',
    packages: 'golang-go',
    program: '/usr/bin/go',
    extension: '.go',
    args: (config) => ['run', config],
    variants: { plain: conforms(server('server.go')) },
  },
];
