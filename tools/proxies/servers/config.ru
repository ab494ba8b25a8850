# Reads requests as Rack does, and forwards what it has read.

require 'json'
require 'net/http'
require 'rack'

FORWARDED = %w[CONTENT_TYPE HTTP_X_CLIENT_APPLICATION_ID HTTP_X_CLIENT_TOKEN].freeze

run(lambda do |env|
  pairs = Rack::Utils.parse_query(env['QUERY_STRING']).flat_map { |name, values| [values].flatten.map { |value| [name, value] } }
  query = URI.encode_www_form(pairs)
  body = env['rack.input'].read
  begin
    body = JSON.generate(JSON.parse(body)) unless body.empty?
  rescue JSON::ParserError
    # The deployment refuses it.
  end
  headers = FORWARDED.filter_map { |name| [name.delete_prefix('HTTP_').tr('_', '-'), env[name]] if env[name] }.to_h
  path = env['PATH_INFO'] + (query.empty? ? '' : "?#{query}")
  request = Net::HTTPGenericRequest.new(env['REQUEST_METHOD'], !body.empty?, true, path, headers)
  request.body = body unless body.empty?
  response = Net::HTTP.start('127.0.0.1', '@UPSTREAM@'.split(':').last.to_i) { |http| http.request(request) }
  [response.code.to_i, { 'content-type' => response['content-type'] || 'text/plain' }, [response.body || '']]
end)
